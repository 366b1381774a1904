package decide

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
)

type sense = dialect.Label

const (
	carried   = dialect.Carried
	failed    = dialect.Failed
	tabled    = dialect.Tabled
	continued = dialect.Continued
	referred  = dialect.Referred
	died      = dialect.Died
	unanimous = dialect.Unanimous
	voice     = dialect.Voice
	subject   = dialect.Subject
	named     = dialect.Named
	lead      = dialect.Lead
	moves     = dialect.Moves
	movedBy   = dialect.Mover
	seconds   = dialect.Seconds
	secondBy  = dialect.Seconder
	aye       = dialect.Aye
	nay       = dialect.Nay
	abstain   = dialect.Abstain
	absent    = dialect.Absent
	recused   = dialect.Recused
	notVoting = dialect.NotVoting
	present   = dialect.Present
	passing   = dialect.Passing
	speaks    = dialect.Speaks
	majority  = dialect.Majority
	decides   = dialect.Decides
	rejects   = dialect.Rejects
	body      = dialect.Body
	another   = dialect.Another
	doubtful  = dialect.Doubtful
	put       = dialect.Put
	resolves  = dialect.Resolves
	ayeVotes  = dialect.AyeVotes
	nayVotes  = dialect.NayVotes
	senses    = dialect.Senses
)

// A row has the words of one sense in one language, with a sample of a real document. Words are
// separated by "|", in lower case and without accents; they are regular expressions.
type row struct {
	sense  sense
	words  string
	sample string
	source string
}

// languages is the table of all words. English words apply to every document, those of French and Spanish to
// documents that are not plainly English: there "refuse" is collected, and a "proposition" is on a ballot.
var languages = map[string][]row{
	"English": {
		{carried, `carried|carries|passed|passes|adopted|approved|accepted|enacted|ordained|prevailed|prevails|ratified|` +
			`confirmed|agreed|concurred|sustained|upheld|granted|resolved|so voted|so ordered|moved,? (?:unanimously|\d+ ?- ?\d+)`,
			"The motion carried 4-1 with Commissioner Doe dissenting.", "Clayton MO, Board of Aldermen, 2019-05-28"},
		{failed, `failed|fails|fell|defeated|lost|rejected|denied|negatived|not (?:carried|passed|adopted|approved|` +
			`agreed to|agreed)|` +
			`(?:did|does) not (?:carry|pass|prevail)`,
			"The motion failed due to a tied vote", "Chico CA, City Council, 2020-09-15"},
		{tabled, `tabled|laid on the table`, "MOTION TABLED", "Crete IL, Board of Trustees, 2022-03-09"},
		{continued, `continued|postponed|deferred|held over|laid over|carried over`, "DECISION: ADDITION CONTINUED.",
			"Charlotte NC, Historic District Commission, 2018-06-13"},
		{referred, `referred|remanded`, "REFERRED TO COMMISSIONER OF PUBLIC WORKS", "Portland OR, City Council, 2011-01-12"},
		{died, `died|dies|withdrawn|withdrew|withdraws|rescinded the motion|` +
			`(?:lack|want|absence) of (?:a |any )?(?:second(?:er)?|support)\b|no second(?:er)?\b|not seconded|did not receive a second|ruled out of order`,
			"The motion died for lack of a second.", "Nashua NH, Board of Aldermen, 2018-02-13"},
		{unanimous, `unanimous(?:ly)?|all (?:those |members |the members )?(?:present |presents |were |was |voted |voting |said |being )*` +
			`(?:in favou?r|aye|yes|yea|for)|all (?:members )?(?:present )?(?:agreed|in agreement|approved)|all ayes|all (?:voted )?affirmative|` +
			`all (?:yeas|yes|yea)|(?:by|of) all|none opposed|no opposition|no objections?|no nays|no one opposed|without (?:dissent|objection|opposition)|nem\.? ?con`,
			"All were in favor. Motion passes.", "Crete IL, Board of Trustees, 2022-03-09"},
		{voice, `voice vote|by acclamation|show of hands|general consent|by consensus`,
			"approved unanimously by voice vote on a motion by Mr. Doe", "Columbia MO, City Council, 2015-10-19"},
		{subject, `motions?|articles?|amendments?|amended motion|substitute|proposal|question|vote|ayes|nays|main motion|` +
			`ballot`,
			"The Mayor declared the proposal as carried.", "Limerick IE, City and County Council, 2024-02-26"},
		{named, `resolutions?|ordinances?|bills?|by-?laws?|minutes|agenda|calendar|items?|reports?|applications?|` +
			`requests?|it|recommendations?|nominations?|contracts?|measures?|petitions?|plans?|policy|council|board|` +
			`commission|committee|trustees`, "B313-15 was given third reading ... Bill declared defeated.",
			"Columbia MO, City Council, 2015-11-02"},
		{lead, `action(?: taken)?|votes?|voted|decision|results?|final resolution|resolution|outcome|disposition|motion|board vote|` +
			`council action|recorded vote|final vote|roll call(?: vote)?|rc|vote result|motion result`,
			"Final Resolution: Motion Carried", "Sacramento County CA, Board of Education, 2024-08-13"},
		{moves, `moved|moves|motioned|made (?:a |the |another )?(?:[a-z]+ ){0,3}motion|makes (?:a|the) motion|offered (?:a|the) (?:[a-z]+ )?motion|` +
			`presented (?:a|the) motion|proposed|introduced (?:a|the) motion|put forward a motion|so moved|introduced (?:the |a |this )?(?:council )?(?:bill|ordinance|resolution)|(?:introduced|offered|presented|submitted) the following (?:[a-z]+ ){0,3}(?:resolution|ordinance|motion)|` +
			`offered (?:a|the) (?:following )?(?:resolution|ordinance)`,
			"Councilmember Doe MOVED that the City Council approve", "Riverton UT, City Council, 2025-12-16"},
		{movedBy, `moved(?: and approved)?,? by|motioned by|motion (?:was )?(?:duly )?(?:made |offered |presented |proposed )?by|motion of|` +
			`proposed (?:as [a-z ]{3,30} )?by|proposed|proposer|mover|movant|moved|offered by|introduced by|made by|proposal of|motion from|` +
			`initiated by|was made by|maker|motion made|proposition of|in the name of|resolved by|motion`,
			"Moved by Councillor Doe / Seconded by Councillor Roe", "Guelph ON, City Council, 2014-02-10"},
		{seconds, `made (?:a|the) second|seconded|seconds|second|2nd|2nded|supported`, "Director Doe seconded the motion.",
			"Fair Oaks CA, Water District, 2019-06-03"},
		{secondBy, `seconded (?:by|from)|2nd(?:ed)? by|second(?:ed)? (?:was )?(?:made |given |offered |provided )?(?:by|from)|supported by|seconder|` +
			`seconded|second|support by`,
			"Motion by Gary Doe, second by Dick Roe to approve", "North Star MN, Town Board, 2020-03-16"},
		{aye, `ayes?|yeas?|yes(?:es)?|yes votes?|(?:in favou?r(?: of)?|for)(?: the (?:substantive |substitute )?(?:motion|` +
			`amendment|proposal))?|votes? (?:in favou?r|for)|affirmative|` +
			`(?:the following |those )?(?:members |trustees |council ?members |councill?ors |commissioners |supervisors |` +
			`directors )?(?:present )?(?:voting|voted|who voted) (?:aye|yes|yea|in favou?r|for|` +
			`in the affirmative)(?: thereof| of the same)?|all (?:members )?(?:present )?(?:voted|voting) (?:aye|yes|` +
			`in favou?r)|approve|agreed|all ayes`,
			"VOTING IN FAVOUR: Mayor Doe, Councillors Roe and Poe (3)", "Guelph ON, City Council, 2014-02-10"},
		{nay, `nays?|noes?|no(?:'s)? votes?|no|against(?: the (?:substantive |substitute )?(?:motion|amendment|` +
			`proposal))?|opposed?|in opposition|dissenting|dissent|negative|votes? against|` +
			`(?:the following |those )?(?:members |trustees |council ?members |councill?ors |commissioners |supervisors |` +
			`directors )?(?:present )?(?:voting|voted|who voted) (?:nay|no|against|in opposition|` +
			`in the negative)(?: thereof| the same| same)?`,
			"NAYS:    DOE, ROE, POE", "Charlotte NC, Historic District Commission, 2018-06-13"},
		{abstain, `abstain(?:ed|ing|s|er|ers)?|abstentions?|those abstaining`, "Abstain: Doe, Roe",
			"Sacramento County CA, Board of Education, 2024-08-13"},
		{absent, `absent(?:ees?)?(?: (?:at the time of|at|for|during|from) (?:the )?(?:vote|roll call))?|excused|` +
			`not present|absent/excused|excused absence|away|left early`,
			"ABSENT: Doe", "Chico CA, City Council, 2020-11-17"},
		{recused, `recus(?:ed?|als?|ing)|disq(?:ualified|ualifications?)?\.?|conflicts?(?: of interest)?`, "DISQ: Doe",
			"Chico CA, City Council, 2020-08-04"},
		{notVoting, `(?:present,? (?:but )?)?not voting|did not vote|nv|non-?voting`, "NOT VOTING: Doe",
			"form that California clerks print"},
		{passing, `pass|passing`, "PASS:    1 – Doe", "form that clerks of Illinois print"},
		{speaks, `(?:motion|amendment|vote)\b[^.;]{0,60}\b(?:carried|carries|passed|passes|failed|adopted|approved|denied|` +
			`defeated|unanimous|tied)|` +
			`yeas|ayes|noes|nays|(?:council|board|commission|committee|trustees) (?:unanimously|voted)|voted (?:unanimously|` +
			`\d+)|unanimous vote|` +
			`unanimously (?:approved|adopted|agreed|resolved|carried|passed)|votes? to (?:\d+|one|two|three|four|five|six|` +
			`seven|eight|nine)`,
			"The vote to approve passed.", "form that clerks print"},
		{present, `present|in attendance|also present|staff present`, "Present: Doe, Roe",
			"Chico CA, City Council, 2020-08-04"},
	},
	"French": {
		{carried, `adoptee?s?|approuvee?s?|acceptee?s?|votees?`, "ADOPTÉE À L'UNANIMITÉ",
			"form that clerks of Québec print"},
		{failed, `rejetee?s?|refusee?s?|defaite`, "Rejetée à la majorité", "form that clerks of Québec print"},
		{continued, `reportee?s?|ajournee?s?|differee?s?`, "La proposition est reportée", "form that clerks of Québec print"},
		{died, `retiree?s?`, "La proposition est retirée", "form that clerks of Québec print"},
		{unanimous, `a l'unanimite|unanimement|unanimite des|par acclamations?`, "ADOPTÉE À L'UNANIMITÉ",
			"form that clerks of Québec print"},
		{subject, `proposition|vote|deliberation|amendement`, "La proposition est adoptée",
			"form that clerks of Québec print"},
		{named, `conseil(?: municipal)?|assemblee|proces[- ]verbal|proces[- ]verbaux|compte[- ]rendu|deliberation|reglement|ordre du jour|point|budget|comptes?`,
			"Le procès-verbal est adopté à l'unanimité.", "form that communes of France print"},
		{movedBy, `propose(?:e)? par|proposition de`, "Il est proposé par la conseillère Doe", "form that clerks of Québec print"},
		{secondBy, `appuyee? (?:par|de)|secondee? par`, "appuyé par le conseiller Roe", "form that clerks of Québec print"},
		{aye, `pour|en faveur|ont vote pour|votent pour|votent en faveur|voix pour|votes? pour|vote en faveur`,
			"Pour : Doe, Roe", "form that clerks of Québec print"},
		{nay, `contre|ont vote contre|votent contre|voix contre|votes? contre|dissidences?`, "Contre : Poe",
			"form that clerks of Québec print"},
		{abstain, `abstentions?`, "1 abstention : Mme Doe", "form that communes of France print"},
		{absent, `absente?s?`, "Absents : Poe", "form that clerks of Québec print"},
		{speaks, `a l'unanimite|a la majorite|voix (?:pour|contre)|mis(?:e|es)? aux? voix|` +
			`est (?:adoptee?|acceptee?|approuvee?|rejetee?|refusee?)|sont (?:adopt|accept|approuv|rejet|refus)\w+`,
			"La résolution est adoptée.", "form that clerks of Québec print"},
		{majority, `a (?:la|une)(?: large| forte| grande)? majorite`, "ADOPTÉE À LA MAJORITÉ",
			"form that clerks of Québec print"},
		{decides, `(?:adopt|approuv|accept|decid|resol|valid|autoris|attribu|accord|ratifi|enterin|emet|designe)\w*|vote|` +
			`donne|fixe|elit|elu`,
			"Le conseil, à l'unanimité, décide d'attribuer une subvention.", "form that communes of France print"},
		{rejects, `(?:rejete|rejette|repousse|refuse d|defavorable)\w*|refusee?s?|n'est pas (?:adopte|approuve)\w*|` +
			`n'a pas (?:ete )?(?:adopte|approuve)\w*`, "Le conseil, par 8 voix contre et 2 pour, rejette la proposition.",
			"form that communes of France print"},
		{body, `conseil(?:lers)?|assemblee|deliberation|proposition|presents`, "Le conseil municipal décide",
			"form that communes of France print"},
		{another, `la commission|le comite|le bureau`, "La commission a donné un avis favorable à l'unanimité",
			"form that communes of France print"},
		{doubtful, `avait|avaient|aurait|devra|devront|pourra|pourraient|sera|seront|serait|si le conseil|requiert|` +
			`necessite|` +
			`par deliberation (?:n|du|en date)|(?:rappel\w*|repond|indique|precise|explique|informe|signale|souligne) qu[e']|` +
			`demande si`,
			"M. Doe rappelle que le conseil avait voté", "form that communes of France print"},
		{put, `soumis(?:e|es)? (?:au vote|aux voix|au scrutin)|mis(?:e|es)? aux? (?:voix|votes?)`,
			"L'amendement est mis aux voix.", "form that communes of France print"},
		{resolves, `resolue?s?`, "Il est proposé par Mme Doe, appuyé par M. Roe et résolu que le projet soit adopté",
			"form that clerks of Québec print"},
		{ayeVotes, `oui|favorables?`, "par 27 oui", "form that municipalities of Switzerland print"},
		{nayVotes, `non|defavorables?`, "contre 14 non", "form that municipalities of Switzerland print"},
	},
	"Spanish": {
		{carried, `aprobad[oa]s?|adoptad[oa]s?|acordad[oa]s?|(?:se )?aprueban?|(?:se )?acuerda`, "Aprobado por mayoría.", "form that secretaries of town halls print"},
		{failed, `rechazad[oa]s?|desestimad[oa]s?|derrotad[oa]s?|(?:se )?rechaza|(?:se )?desestima`,
			"Rechazada la moción", "form that secretaries of town halls print"},
		{continued, `aplazad[oa]s?|pospuest[oa]s?|sobre la mesa`, "Queda aplazada",
			"form that secretaries of town halls print"},
		{died, `retirad[oa]s?`, "La moción queda retirada", "form that secretaries of town halls print"},
		{unanimous, `(?:por|con la) unanimidad|unanimemente|unanime|por asentimiento|unanimidad de (?:los|las|sus)`,
			"Aprobada por unanimidad", "form that secretaries of town halls print"},
		{subject, `mocion|propuesta|votacion`, "La moción fue aprobada", "form that secretaries of town halls print"},
		{named, `pleno|ayuntamiento|corporacion|cabildo|acta|dictamen|ordenanza|acuerdo|punto|orden del dia|presupuesto`,
			"El Pleno, por unanimidad, acuerda", "form that secretaries of town halls print"},
		{moves, `propuso|mociono|mociona|presento la mocion`, "El regidor Doe propuso",
			"form that secretaries of town halls print"},
		{movedBy, `propuesto por|propuesta por|mocion presentada por|a propuesta de|mocion de`,
			"Propuesto por el regidor Doe", "form that secretaries print"},
		{seconds, `secundo`, "la regidora Roe secundó", "form that secretaries of town halls print"},
		{secondBy, `secundad[oa] por`, "secundado por la regidora Roe", "form that secretaries of town halls print"},
		{aye, `votos a favor|votos favorables|votos afirmativos|a favor|favorables`, "Votos a favor: Doe, Roe",
			"form that secretaries of town halls print"},
		{nay, `votos en contra|votos negativos|en contra`, "Votos en contra: Poe",
			"form that secretaries of town halls print"},
		{abstain, `abstenciones|abstencion`, "Abstenciones: Poe", "form that secretaries of town halls print"},
		{absent, `ausentes?`, "Ausentes: Poe", "form that secretaries of town halls print"},
		{speaks, `por unanimidad|votos (?:a favor|en contra)|sometid[oa]s? a votacion|mayoria (?:absoluta|simple)|` +
			`queda(?:n|ron)? (?:aprobad|rechazad)\w+|se (?:aprueba|rechaza|acuerda)n?|votacion unanime|derrotad[oa] la|` +
			`votan (?:a favor|en contra|si|no)`, "Sometida a votación la propuesta",
			"form that secretaries of town halls print"},
		{majority, `por (?:amplia )?mayoria`, "Aprobado por mayoría.", "form that secretaries of town halls print"},
		{decides, `(?:aprob|aprueb|acuerd|acord|otorg|nombr|queda|resuel|autoriz|adopt|acept)\w*`,
			"El Pleno, por unanimidad, acuerda", "form that secretaries of town halls print"},
		{rejects, `(?:rechaz|desestim|denieg|denegad)\w*|no (?:se )?(?:aprueb|aprob|prosper)\w*`,
			"El Pleno, por 8 votos en contra y 2 a favor, rechaza la moción.", "form that secretaries of town halls print"},
		{body, `pleno|corporacion|ayuntamiento|cabildo|concejo|junta de gobierno|mocion|propuesta|asistentes|presentes`,
			"El Pleno del Ayuntamiento acuerda", "form that secretaries of town halls print"},
		{another, `la comision|comision informativa|comisiones`, "La Comisión Informativa dictaminó por unanimidad",
			"form that secretaries of town halls print"},
		{doubtful, `habia|habian|debera|podra|requiere|necesita|exige|ya se|contesta|pregunta|dice que|` +
			`(?:responde|recuerda|informa|explica|senala|manifiesta) qu[e']`, "El alcalde recuerda que ya se aprobó",
			"form that secretaries of town halls print"},
		{put, `sometid[oa]s? a votacion|se somete a votacion`, "Sometida a votación la propuesta",
			"form that secretaries of town halls print"},
		{ayeVotes, `afirmativ[oa]s?|positivos?`, "siete votos afirmativos", "form that secretaries of town halls print"},
		{nayVotes, `negativ[oa]s?`, "dos votos negativos", "form that secretaries of town halls print"},
	},
}

// everyLanguage are the languages of the table.
const everyLanguage = "English French Spanish"

// words returns the words of some senses as alternatives of a regular expression.
func words(of ...sense) string { return wordsIn(strings.Fields(everyLanguage), of...) }

// romance returns the words of some senses in French and Spanish.
func romance(of ...sense) string { return wordsIn([]string{"French", "Spanish"}, of...) }

func wordsIn(names []string, of ...sense) string {
	var all []string
	for _, name := range names {
		for _, r := range languages[name] {
			if slices.Contains(of, r.sense) {
				all = append(all, r.words)
			}
		}
	}
	return strings.Join(all, "|")
}

// expr is the grammar: regular expressions made of the words. All match folded text (fold).
type expr struct {
	outcome   *pattern // a word of an outcome
	senses    map[sense]*regexp.Regexp
	label     *regexp.Regexp // the whole label of a row of names
	subject   *pattern
	named     *pattern
	lead      *regexp.Regexp
	moves     *pattern
	movedBy   *pattern
	seconds   *pattern
	secondBy  *pattern
	unanimous *pattern
	voice     *pattern
	died      *pattern
	counted   *pattern // number before a position
	counts    *pattern // position before a number
	position  *pattern // a position, but no word that is frequent elsewhere
	figure    *pattern
	speaks    *pattern
	romance   romanceExpr
}

// romanceExpr has the words of bodies that decide in French and Spanish.
type romanceExpr struct {
	unanimous, majority, no, yes, later, doubtful, another, body, put, resolves *pattern
	counted                                                                     *pattern // number before a position
	rows                                                                        *pattern // position before a number
	side                                                                        *pattern // position before its names
	of                                                                          *pattern // position before "of" and a name
}

// newExpr returns the grammar with the words of some languages.
func newExpr(names ...string) *expr {
	words := func(of ...sense) string { return wordsIn(names, of...) }
	word := func(of ...sense) *pattern { return compile(`\b(?:` + words(of...) + `)\b`) }
	x := &expr{
		outcome: word(carried, failed, tabled, continued, referred),
		senses:  map[sense]*regexp.Regexp{},
		subject: word(subject), named: word(named), moves: word(moves), seconds: word(seconds),
		lead:      regexp.MustCompile(`^(?:` + words(lead) + `)\s*(?::|\.|[-–—]|  )\s*`),
		movedBy:   compile(`\b(?:` + words(movedBy) + `)\b\s*[:.–—-]?\s*`),
		secondBy:  compile(`\b(?:` + words(secondBy) + `)\b\s*[:.–—-]?\s*`),
		unanimous: word(unanimous), voice: word(voice), died: word(died),
	}
	for s := dialect.Result; s < senses; s++ {
		if w := words(s); w != "" {
			x.senses[s] = regexp.MustCompile(`^(?:` + w + `)$`)
		}
	}
	for _, re := range []*pattern{x.outcome, x.subject, x.named, x.moves, x.movedBy, x.seconds, x.secondBy, x.unanimous} {
		re.Longest()
	}
	x.lead.Longest()
	positions := words(aye, nay, abstain, absent, recused, notVoting, present, passing)
	x.label = regexp.MustCompile(`^(?:` + positions + `)\b`)
	x.label.Longest()
	x.counted = compile(`\b(` + figure + `|none)(?: ?\(\d{1,3}\))?[ -]{0,12}(?:were |was |voted |voting |members? |councill?ors? |board members? |votes? |voix |votos? )*` +
		`(` + words(aye, nay, abstain, absent, recused, notVoting) + `)\b`)
	x.counts = compile(`\b(` + words(aye, nay, abstain, absent, recused, notVoting) + `)(?: votes?)?\s*(?:[-–—:=(]\s*)*(` + figure + `)\b`)
	x.position = compile(`\b(?:`+words(aye, nay, abstain, absent, recused, notVoting)+`)\b`).
		without("for", "yes", "no", "agreed", "approve", "pour")
	x.speaks = word(speaks)
	latin := func(of ...sense) *pattern { return compile(`\b(?:` + romance(of...) + `)\b`) }
	sides := `(` + romance(aye, nay, abstain, ayeVotes, nayVotes) + `)\b`
	x.romance = romanceExpr{unanimous: latin(unanimous), majority: latin(majority), no: latin(failed, rejects),
		yes: latin(decides), later: latin(continued), doubtful: latin(doubtful), another: latin(another), body: latin(body),
		put: latin(put), resolves: latin(resolves),
		counted: compile(`\b(` + figure + `|aucune?|ningun[oa]?)[ (]{1,2}(?:(?:\d{1,3}|` + figure + `)\)? )?` +
			`(?:voix |votos? |votes? |suffrages? |bulletins? )?(?:des? \w+ )?` + sides),
		rows: compile(`\b` + sides + `(?: ?\(s\))?\s*(?:[:=,-]?\s*(\d{1,3})|: ([oq]))\b`),
		side: compile(`\b(?:vota(?:n|ron)?|voto) (?:por la )?(` + romance(aye, nay, ayeVotes, nayVotes) + `),? ` +
			`(?:(?:los|las|el|la) )?|\b(` + romance(nay, abstain) + `) ?: `),
		of: compile(`\b(` + romance(nay, abstain) + `),? (?:del|de los|de las|de la|de|du|des) `)}
	x.figure = compile(`\b(?:` + figure + `|none)\b`)
	return x
}

// numbers are the counts in words, by language, each in its order from zero.
var numbers = [][]string{
	strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
		"sixteen seventeen eighteen nineteen twenty"),
	strings.Fields("zero un deux trois quatre cinq six sept huit neuf dix"),
	strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez"),
}

// figure matches a count in digits or words.
var figure = `\d{1,3}|une|una|` + strings.Join(slices.Concat(numbers...), "|")

// senseOf returns the sense of a word of one of the given senses.
func (x *expr) senseOf(word string, of ...sense) (sense, bool) {
	for _, s := range of {
		if r := x.senses[s]; r != nil && r.MatchString(word) {
			return s, true
		}
	}
	return 0, false
}

var positions = []sense{aye, nay, abstain, absent, recused, notVoting, present, passing}

// positionOf maps a sense to a position. Those who do not vote are absent; those present have none.
func positionOf(s sense) (council.Position, bool) {
	switch s {
	case aye:
		return council.Aye, true
	case nay:
		return council.Nay, true
	case abstain:
		return council.Abstain, true
	case absent, notVoting:
		return council.Absent, true
	case recused:
		return council.Recused, true
	}
	return "", false
}

// Labels returns what the label of a row in a table of RESULT means, by the words of movers and rolls.
func Labels() func(word string) (row dialect.Label, known bool) {
	all := compile(`\b(?:` + words(movedBy, secondBy, aye, nay, abstain, absent, notVoting, recused) + `)\b`)
	rows := map[dialect.Label]*regexp.Regexp{}
	for row, senses := range map[dialect.Label][]sense{dialect.Mover: {movedBy}, dialect.Seconder: {secondBy},
		dialect.Aye: {aye}, dialect.Nay: {nay}, dialect.Abstain: {abstain}, dialect.Absent: {absent, notVoting},
		dialect.Recused: {recused}} {
		rows[row] = regexp.MustCompile(`^(?:` + words(senses...) + `)$`)
	}
	return func(word string) (row dialect.Label, known bool) {
		f := strings.ToLower(word)
		if !all.beginsAt(f) {
			return dialect.Unknown, false
		}
		for _, row := range []dialect.Label{dialect.Seconder, dialect.Mover, dialect.Aye, dialect.Nay, dialect.Abstain,
			dialect.Absent, dialect.Recused} {
			if rows[row].MatchString(f) {
				return row, true
			}
		}
		return dialect.Unknown, false
	}
}

// side returns the side of a word of those who vote in French or Spanish.
func (x *expr) side(word string) sense {
	switch s, _ := x.senseOf(word, abstain, aye, ayeVotes); s {
	case abstain, aye:
		return s
	case ayeVotes:
		return aye
	}
	return nay
}
