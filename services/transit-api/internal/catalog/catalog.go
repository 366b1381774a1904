// Package catalog lists the feeds of the host as datasets, in DCAT-US (pkg/wellknown).
package catalog

import (
	"cmp"
	"context"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/mcp"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/wellknown"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A published is a file of a feed that the catalogue lists to those who may read it.
type published struct {
	permission, path, title, media string
	kind                           string // of the realtime sources that it needs; "" for none
}

var publishedFiles = []published{
	{
		permission: "static.gtfs_zip",
		path:       wire.FeedPath + "/gtfs.zip",
		title:      "GTFS",
		media:      "application/zip",
	},
	{
		permission: "static.feed_report_csv",
		path:       wire.FeedPath + "/report.csv",
		title:      "Report of what is wrong in the GTFS",
		media:      "text/csv",
	},
	{
		permission: "realtime.feed_trip_updates",
		path:       "/rt/feeds/{feed_alias}/trip_updates.pb",
		title:      "GTFS-Realtime trip updates",
		media:      "application/x-protobuf",
		kind:       conf.TripUpdates,
	},
	{
		permission: "realtime.feed_vehicle_positions",
		path:       "/rt/feeds/{feed_alias}/vehicle_positions.pb",
		title:      "GTFS-Realtime vehicle positions",
		media:      "application/x-protobuf",
		kind:       conf.VehiclePositions,
	},
	{
		permission: "realtime.feed_alerts",
		path:       "/rt/feeds/{feed_alias}/alerts.pb",
		title:      "GTFS-Realtime alerts",
		media:      "application/x-protobuf",
		kind:       conf.Alerts,
	},
}

// offered has the feeds, and for each the files that exist.
type offered struct {
	feeds *edition.Feeds
	files map[string][]published
}

// A Catalog lists the data of the host.
type Catalog struct {
	Host       *wellknown.Host
	Name       string // of the site; "" if it has none
	Feeds      *edition.Directory
	Live       *live.Live
	Apps       string // path for the OneBusAway apps; "" if they are not served
	Assistants bool
}

// Endpoints returns the catalogue's endpoint; none without a contact, which DCAT-US requires.
func (k *Catalog) Endpoints() rest.Table {
	if k.Host.Contact == "" {
		return nil
	}
	spec := rest.Spec{ID: "site.catalog", Path: wellknown.CatalogPath,
		Summary: "The datasets and APIs of this host, as DCAT-US 3", Shows: []string{"discovery.feeds"},
		Media: "application/json"}
	for _, f := range publishedFiles {
		spec.MayShow = append(spec.MayShow, f.permission)
	}
	return rest.Table{rest.From(spec, rest.Source[rest.None, offered]{Now: k.offers},
		func(_ context.Context, c *rest.Call, _ rest.None, o offered) (rest.File, error) {
			return wellknown.CatalogFile(k.catalog(c, o))
		})}
}

// offers finds what exists. The generation also changes with the kinds of realtime sources.
func (k *Catalog) offers(context.Context, *rest.Call, rest.None) (offered, rest.Generation, error) {
	all, err := k.Feeds.All()
	if err != nil {
		return offered{}, rest.Generation{}, err
	}
	o := offered{feeds: all, files: map[string][]published{}}
	kinds := int64(1)
	for _, feed := range all.Sorted {
		for _, f := range publishedFiles {
			if f.kind != "" {
				kinds = kinds*31 + 1
				if v, err := k.Live.View(feed.Alias, f.kind); err != nil || len(v.Sources) == 0 {
					continue
				}
				kinds++
			}
			o.files[feed.Alias] = append(o.files[feed.Alias], f)
		}
	}
	return o, rest.Join(all.Generation, rest.Generation{N: kinds}), nil
}

func (k *Catalog) catalog(c *rest.Call, o offered) *wellknown.Catalog {
	h, name := k.Host, k.Name
	if name == "" && len(o.feeds.Sorted) == 1 {
		name = o.feeds.Sorted[0].Name
	}
	name = cmp.Or(name, "Public transport")
	all := h.NewCatalog(name, name, "Timetables and live departures of public transport.")
	for _, feed := range o.feeds.Sorted {
		d := &wellknown.Dataset{Title: "Timetable and realtime data: " + cmp.Or(feed.Name, feed.Alias),
			Description: "Stops, lines, trips and times as GTFS, with what is computed from them, and the realtime data of " +
				"the same feed where there is any.",
			Keyword:  []string{"public transit", "GTFS", "timetable", "stops"},
			Modified: wellknown.Instant(feed.Generation.Time), Distribution: []*wellknown.Distribution{}}
		if feed.FirstDay != nil && feed.LastDay != nil {
			d.Temporal = wellknown.Covers(feed.FirstDay.String(), feed.LastDay.String())
		}
		for _, f := range o.files[feed.Alias] {
			if c.May(f.permission) {
				d.Distribution = append(d.Distribution, &wellknown.Distribution{Title: f.title, MediaType: f.media,
					URL: c.URL(f.path, feed.Alias)})
			}
		}
		h.Add(all, c.URL(wire.FeedPath, feed.Alias), feed.Name, d)
	}
	h.AddService(all, "Transit API", "Stops, lines, timetables, departures, vehicles and alerts as JSON.", c.URL(""),
		c.URL("/openapi.json"))
	if k.Apps != "" {
		for _, feed := range o.feeds.Sorted {
			h.AddService(all, "For the OneBusAway apps: "+cmp.Or(feed.Name, feed.Alias), "", h.Root+k.Apps+"/"+
				feed.Alias, "")
		}
	}
	if k.Assistants {
		h.AddService(all, "Public transport for assistants", "The same data by the Model Context Protocol.", h.Root+mcp.Path,
			"")
	}
	return all
}
