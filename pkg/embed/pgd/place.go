package pgd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A place is the folder of a server and the account that it runs as.
type place struct {
	dir     string // the data folder, resolved: lock, url, log
	home    string // has cluster/ and usually run/; equals dir unless the account cannot enter dir
	socket  string
	account account
}

// An account is the system user of the server. Postgres refuses to run as root, so root uses
// another account.
type account struct {
	uid, gid int
	lent     bool // not our account: programs start with its credentials
}

const (
	homeFile    = "home"                // file in dir with the path of a home elsewhere
	ownerFile   = "data-folder"         // file in such a home with the path of dir
	homes       = "/var/lib/townline"   // folder of the homes of accounts that cannot enter their data folder
	cacheForAll = "/var/cache/townline" // root's cache

	// maxSocketPath fits every system: 104 bytes with the final NUL on macOS, 108 on Linux.
	maxSocketPath = 103
	socketName    = ".s.PGSQL.5432"
)

func (p place) cluster() string { return filepath.Join(p.home, "cluster") }

func prepare(dataDir string) (string, error) {
	if dataDir == "" {
		return "", errors.New("no data folder given")
	}
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// placed returns the place of dir's cluster. It does not create anything.
func placed(dir string) (place, error) {
	p := place{dir: dir, home: dir}
	b, err := os.ReadFile(filepath.Join(dir, homeFile))
	switch {
	case err == nil:
		p.home = strings.TrimSpace(string(b))
	case !errors.Is(err, os.ErrNotExist):
		return place{}, err
	}
	return p, nil
}

func choosePlace(dir string) (place, error) {
	p, err := placed(dir)
	if err != nil {
		return place{}, err
	}
	p.account, err = accountFor(p.cluster())
	if err != nil {
		return place{}, err
	}
	if p.account.lent && !p.account.canEnter(p.home) {
		if _, err := os.Stat(p.cluster()); err == nil {
			return place{}, fmt.Errorf("user %d, who owns %s, cannot enter that folder: move the data folder to where every "+
				"user can, or remove it", p.account.uid, p.cluster())
		}
		p.home, err = moveOut(dir)
		if err != nil {
			return place{}, err
		}
	}
	return p, p.makeSocketDir()
}

// accountFor returns the owner of the cluster. For a new cluster it returns our account, or another
// one if we are root.
func accountFor(cluster string) (account, error) {
	us := account{uid: os.Geteuid(), gid: os.Getegid()}
	if info, err := os.Stat(cluster); err == nil {
		owner := ownerOf(info)
		switch {
		case owner.uid == us.uid && us.uid != 0:
			return us, nil
		case us.uid == 0 && owner.uid != 0:
			owner.lent = true
			return owner, nil
		}
		return account{}, fmt.Errorf("%s belongs to user %d and cannot be run by user %d", cluster, owner.uid, us.uid)
	}
	if us.uid != 0 {
		return us, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil && uid > 0 {
			return account{uid: uid, gid: gid, lent: true}, nil
		}
	}
	return account{}, errors.New("root needs a user named postgres or nobody to run the server: " +
		"create one, or run as another user")
}

func ownerOf(info os.FileInfo) account {
	st := info.Sys().(*syscall.Stat_t)
	return account{uid: int(st.Uid), gid: int(st.Gid)}
}

// canEnter reports whether permission bits let the account enter dir and all its parents.
func (a account) canEnter(dir string) bool {
	if !a.lent {
		return true
	}
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		owner, mode := ownerOf(info), info.Mode().Perm()
		switch {
		case owner.uid == a.uid:
			mode >>= 6
		case owner.gid == a.gid:
			mode >>= 3
		}
		if mode&1 == 0 {
			return false
		}
		up := filepath.Dir(dir)
		if up == dir {
			return true
		}
		dir = up
	}
}

func (a account) own(dir string) error {
	if a.lent {
		if err := os.Chown(dir, a.uid, a.gid); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o700)
}

// moveOut creates a home outside of dir and writes its path to dir, because the account cannot
// enter dir (such as a checkout below /root). The name is computed from dir. If dir was emptied,
// the old home is renamed: an empty data folder means new data.
func moveOut(dir string) (string, error) {
	if err := makeOpen(homes); err != nil {
		return "", err
	}
	home := filepath.Join(homes, short(dir))
	if err := os.RemoveAll(home + ".old"); err != nil {
		return "", err
	}
	if err := os.Rename(home, home+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := makeOpen(home); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(home, ownerFile), []byte(dir+"\n"), 0o644); err != nil {
		return "", err
	}
	return home, os.WriteFile(filepath.Join(dir, homeFile), []byte(home+"\n"), 0o644)
}

// makeOpen creates a folder that every account can enter, whatever the umask is.
func makeOpen(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// makeSocketDir creates the private folder of the socket: run/ in the home, or another folder if
// that path is too long.
func (p *place) makeSocketDir() error {
	p.socket = filepath.Join(p.home, "run")
	if len(p.socket)+1+len(socketName) > maxSocketPath {
		temp := os.TempDir()
		name := "townline-" + short(p.home)
		if len(filepath.Join(temp, name, socketName)) > maxSocketPath || !p.account.canEnter(temp) {
			temp = "/tmp"
		}
		p.socket = filepath.Join(temp, name)
	}
	err := os.Mkdir(p.socket, 0o700)
	if errors.Is(err, os.ErrExist) {
		// Another user may have created it in a shared temporary folder.
		info, err := os.Lstat(p.socket)
		if err != nil {
			return err
		}
		if uid := ownerOf(info).uid; !info.IsDir() || uid != p.account.uid && uid != os.Geteuid() {
			return fmt.Errorf("%s is in the way: it is not a folder of ours; remove it", p.socket)
		}
	} else if err != nil {
		return err
	}
	return p.account.own(p.socket)
}

func short(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}
