package lexicon

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// A row has the words of one sense in one language, with a sample of a real document. Words are
// separated by "|", in lower case and without accents; they are regular expressions.
type row struct {
	sense  Sense
	words  string
	sample string
	source string
}

// languages is the table of all words. English words apply to every document, those of French and Spanish to
// documents that are not plainly English: there "refuse" is collected, and a "proposition" is on a ballot.
var languages = map[string][]row{
	"English": {
		{Carried, `carried|carries|passed|passes|adopted|approved|accepted|enacted|ordained|prevailed|prevails|ratified|` +
			`confirmed|agreed|concurred|sustained|upheld|granted|resolved|so voted|so ordered|moved,? (?:unanimously|` +
			`\d+ ?- ?\d+)`,
			"The motion carried 4-1 with Commissioner Doe dissenting.", "Clayton MO, Board of Aldermen, 2019-05-28"},
		{Failed, `failed|fails|fell|defeated|lost|rejected|denied|negatived|not (?:carried|passed|adopted|approved|` +
			`agreed to|agreed)|` +
			`(?:did|does) not (?:carry|pass|prevail)`,
			"The motion failed due to a tied vote", "Chico CA, City Council, 2020-09-15"},
		{Tabled, `tabled|laid on the table`, "MOTION TABLED", "Crete IL, Board of Trustees, 2022-03-09"},
		{Continued, `continued|postponed|deferred|held over|laid over|carried over`, "DECISION: ADDITION CONTINUED.",
			"Charlotte NC, Historic District Commission, 2018-06-13"},
		{Referred, `referred|remanded`, "REFERRED TO COMMISSIONER OF PUBLIC WORKS", "Portland OR, City Council, 2011-01-12"},
		{Died, `died|dies|withdrawn|withdrew|withdraws|rescinded the motion|` +
			`(?:lack|want|absence) of (?:a |any )?(?:second(?:er)?|support)\b|no second(?:er)?\b|not seconded|` +
			`did not receive a second|ruled out of order`,
			"The motion died for lack of a second.", "Nashua NH, Board of Aldermen, 2018-02-13"},
		{Unanimous, `unanimous(?:ly)?|all (?:those |members |the members )?(?:present |presents |were |was |voted |` +
			`voting |said |being )*` +
			`(?:in favou?r|aye|yes|yea|for)|all (?:members )?(?:present )?(?:agreed|in agreement|approved?)|all ayes|` +
			`all (?:voted )?affirmative|` +
			`all (?:yeas|yes|yea)|(?:by|of) all|all (?:members )?(?:present )?answered in the affirmative|none opposed|` +
			`no opposition|no objections?|no nays|no one opposed|without (?:dissent|objection|opposition)|nem\.? ?con`,
			"All were in favor. Motion passes.", "Crete IL, Board of Trustees, 2022-03-09"},
		{Voice, `voice vote|by acclamation|show of hands|general consent|by consensus`,
			"approved unanimously by voice vote on a motion by Mr. Doe", "Columbia MO, City Council, 2015-10-19"},
		{Subject, `motions?|articles?|amendments?|amended motion|substitute|proposal|question|vote|ayes|nays|main motion|` +
			`ballot`,
			"The Mayor declared the proposal as carried.", "Limerick IE, City and County Council, 2024-02-26"},
		{Named, `resolutions?|ordinances?|bills?|by-?laws?|minutes|agenda|calendar|items?|reports?|applications?|` +
			`requests?|it|recommendations?|nominations?|contracts?|measures?|petitions?|plans?|policy|council|board|` +
			`commission|committee|trustees`, "B313-15 was given third reading ... Bill declared defeated.",
			"Columbia MO, City Council, 2015-11-02"},
		{Lead, `action(?: taken)?|votes?|voted|decision|results?|final resolution|resolution|outcome|disposition|motion|` +
			`board vote|` +
			`council action|recorded vote|final vote|roll call(?: vote)?|rc|vote result|motion result`,
			"Final Resolution: Motion Carried", "Sacramento County CA, Board of Education, 2024-08-13"},
		{Moves, `moved|moves|motioned|made (?:a |the |another )?(?:[a-z]+ ){0,3}motion|makes (?:a|the) motion|` +
			`offered (?:a|the) (?:[a-z]+ )?motion|` +
			`presented (?:a|the) motion|proposed|introduced (?:a|the) motion|put forward a motion|so moved|` +
			`introduced (?:the |a |this )?(?:council )?(?:bill|ordinance|resolution)|(?:introduced|offered|presented|` +
			`submitted) the following (?:[a-z]+ ){0,3}(?:resolution|ordinance|motion)|` +
			`offered (?:a|the) (?:following )?(?:resolution|ordinance)`,
			"Councilmember Doe MOVED that the City Council approve", "Riverton UT, City Council, 2025-12-16"},
		{Mover, `moved(?: and approved)?,? by|motioned by|motion (?:was )?(?:duly )?(?:made |offered |presented |` +
			`proposed )?by|motion of|` +
			`proposed (?:as [a-z ]{3,30} )?by|proposed|proposer|mover|movant|moved|offered by|introduced by|made by|` +
			`proposal of|motion from|` +
			`initiated by|was made by|maker|motion made|proposition of|in the name of|resolved by|motion`,
			"Moved by Councillor Doe / Seconded by Councillor Roe", "Guelph ON, City Council, 2014-02-10"},
		{Seconds, `made (?:a|the) second|seconded|seconds|second|2nd|2nded|supported`, "Director Doe seconded the motion.",
			"Fair Oaks CA, Water District, 2019-06-03"},
		{Seconder, `seconded (?:by|from)|2nd(?:ed)? by|second(?:ed)? (?:was )?(?:made |given |offered |provided )?(?:by|` +
			`from)|supported by|seconder|` +
			`seconded|second|support by`,
			"Motion by Gary Doe, second by Dick Roe to approve", "North Star MN, Town Board, 2020-03-16"},
		{Aye, `ayes?|yeas?|yes(?:es)?|yes votes?|(?:in favou?r(?: of)?|for)(?: the (?:substantive |substitute )?(?:motion|` +
			`amendment|proposal))?|votes? (?:in favou?r|for)|affirmative|` +
			`(?:the following |those )?(?:members |trustees |council ?members |councill?ors |commissioners |supervisors |` +
			`directors )?(?:present )?(?:voting|voted|who voted) (?:aye|yes|yea|in favou?r|for|` +
			`in the affirmative)(?: thereof| of the same)?|all (?:members )?(?:present )?(?:voted|voting) (?:aye|yes|` +
			`in favou?r)|approve|agreed|all ayes`,
			"VOTING IN FAVOUR: Mayor Doe, Councillors Roe and Poe (3)", "Guelph ON, City Council, 2014-02-10"},
		{Nay, `nays?|noes?|no(?:'s)? votes?|no|against(?: the (?:substantive |substitute )?(?:motion|amendment|` +
			`proposal))?|opposed?|in opposition|dissenting|dissent|negative|votes? against|` +
			`(?:the following |those )?(?:members |trustees |council ?members |councill?ors |commissioners |supervisors |` +
			`directors )?(?:present )?(?:voting|voted|who voted) (?:nay|no|against|in opposition|` +
			`in the negative)(?: thereof| the same| same)?`,
			"NAYS:    DOE, ROE, POE", "Charlotte NC, Historic District Commission, 2018-06-13"},
		{Abstain, `abstain(?:ed|ing|s|er|ers)?|abstentions?|those abstaining`, "Abstain: Doe, Roe",
			"Sacramento County CA, Board of Education, 2024-08-13"},
		{Absent, `absent(?:ees?)?(?: (?:at the time of|at|for|during|from) (?:the )?(?:vote|roll call))?|excused|` +
			`not present|absent/excused|excused absence|away|left early`,
			"ABSENT: Doe", "Chico CA, City Council, 2020-11-17"},
		{Recused, `recus(?:ed?|als?|ing)|disq(?:ualified|ualifications?)?\.?|conflicts?(?: of interest)?`, "DISQ: Doe",
			"Chico CA, City Council, 2020-08-04"},
		{NotVoting, `(?:present,? (?:but )?)?not voting|did not vote|nv|non-?voting`, "NOT VOTING: Doe",
			"form that California clerks print"},
		{Passing, `pass|passing`, "PASS:    1 – Doe", "form that clerks of Illinois print"},
		{Speaks, `(?:motion|amendment|vote)\b[^.;]{0,60}\b(?:carried|carries|passed|passes|failed|adopted|approved|denied|` +
			`defeated|unanimous|tied)|` +
			`yeas|ayes|noes|nays|(?:council|board|commission|committee|trustees) (?:unanimously|voted)|voted (?:unanimously|` +
			`\d+)|unanimous vote|` +
			`unanimously (?:approved|adopted|agreed|resolved|carried|passed)|votes? to (?:\d+|one|two|three|four|five|six|` +
			`seven|eight|nine)`,
			"The vote to approve passed.", "form that clerks print"},
		{Present, `present|in attendance|also present|staff present`, "Present: Doe, Roe",
			"Chico CA, City Council, 2020-08-04"},
	},
	"French": {
		{Carried, `adoptee?s?|approuvee?s?|acceptee?s?|votees?`, "ADOPTÉE À L'UNANIMITÉ",
			"form that clerks of Québec print"},
		{Failed, `rejetee?s?|refusee?s?|defaite`, "Rejetée à la majorité", "form that clerks of Québec print"},
		{Continued, `reportee?s?|ajournee?s?|differee?s?`, "La proposition est reportée", "form that clerks of Québec print"},
		{Died, `retiree?s?`, "La proposition est retirée", "form that clerks of Québec print"},
		{Unanimous, `a l'unanimite|unanimement|unanimite des|par acclamations?`, "ADOPTÉE À L'UNANIMITÉ",
			"form that clerks of Québec print"},
		{Subject, `proposition|vote|deliberation|amendement`, "La proposition est adoptée",
			"form that clerks of Québec print"},
		{Named, `conseil(?: municipal)?|assemblee|proces[- ]verbal|proces[- ]verbaux|compte[- ]rendu|deliberation|` +
			`reglement|ordre du jour|point|budget|comptes?`,
			"Le procès-verbal est adopté à l'unanimité.", "form that communes of France print"},
		{Mover, `propose(?:e)? par|proposition de`, "Il est proposé par la conseillère Doe",
			"form that clerks of Québec print"},
		{Seconder, `appuyee? (?:par|de)|secondee? par`, "appuyé par le conseiller Roe", "form that clerks of Québec print"},
		{Aye, `pour|en faveur|ont vote pour|votent pour|votent en faveur|voix pour|votes? pour|vote en faveur`,
			"Pour : Doe, Roe", "form that clerks of Québec print"},
		{Nay, `contre|ont vote contre|votent contre|voix contre|votes? contre|dissidences?`, "Contre : Poe",
			"form that clerks of Québec print"},
		{Abstain, `abstentions?`, "1 abstention : Mme Doe", "form that communes of France print"},
		{Absent, `absente?s?`, "Absents : Poe", "form that clerks of Québec print"},
		{Speaks, `a l'unanimite|a la majorite|voix (?:pour|contre)|mis(?:e|es)? aux? voix|` +
			`est (?:adoptee?|acceptee?|approuvee?|rejetee?|refusee?)|sont (?:adopt|accept|approuv|rejet|refus)\w+`,
			"La résolution est adoptée.", "form that clerks of Québec print"},
		{Majority, `a (?:la|une)(?: large| forte| grande)? majorite`, "ADOPTÉE À LA MAJORITÉ",
			"form that clerks of Québec print"},
		{Decides, `(?:adopt|approuv|accept|decid|resol|valid|autoris|attribu|accord|ratifi|enterin|emet|designe)\w*|vote|` +
			`donne|fixe|elit|elu`,
			"Le conseil, à l'unanimité, décide d'attribuer une subvention.", "form that communes of France print"},
		{Rejects, `(?:rejete|rejette|repousse|refuse d|defavorable)\w*|refusee?s?|n'est pas (?:adopte|approuve)\w*|` +
			`n'a pas (?:ete )?(?:adopte|approuve)\w*`, "Le conseil, par 8 voix contre et 2 pour, rejette la proposition.",
			"form that communes of France print"},
		{Body, `conseil(?:lers)?|assemblee|deliberation|proposition|presents`, "Le conseil municipal décide",
			"form that communes of France print"},
		{Another, `la commission|le comite|le bureau`, "La commission a donné un avis favorable à l'unanimité",
			"form that communes of France print"},
		{Doubtful, `avait|avaient|aurait|devra|devront|pourra|pourraient|sera|seront|serait|si le conseil|requiert|` +
			`necessite|` +
			`par deliberation (?:n|du|en date)|(?:rappel\w*|repond|indique|precise|explique|informe|signale|souligne) qu[e']|` +
			`demande si`,
			"M. Doe rappelle que le conseil avait voté", "form that communes of France print"},
		{Put, `soumis(?:e|es)? (?:au vote|aux voix|au scrutin)|mis(?:e|es)? aux? (?:voix|votes?)`,
			"L'amendement est mis aux voix.", "form that communes of France print"},
		{Resolves, `resolue?s?`, "Il est proposé par Mme Doe, appuyé par M. Roe et résolu que le projet soit adopté",
			"form that clerks of Québec print"},
		{AyeVotes, `oui|favorables?`, "par 27 oui", "form that municipalities of Switzerland print"},
		{NayVotes, `non|defavorables?`, "contre 14 non", "form that municipalities of Switzerland print"},
	},
	"Spanish": {
		{Carried, `aprobad[oa]s?|adoptad[oa]s?|acordad[oa]s?|(?:se )?aprueban?|(?:se )?acuerda`, "Aprobado por mayoría.",
			"form that secretaries of town halls print"},
		{Failed, `rechazad[oa]s?|desestimad[oa]s?|derrotad[oa]s?|(?:se )?rechaza|(?:se )?desestima`,
			"Rechazada la moción", "form that secretaries of town halls print"},
		{Continued, `aplazad[oa]s?|pospuest[oa]s?|sobre la mesa`, "Queda aplazada",
			"form that secretaries of town halls print"},
		{Died, `retirad[oa]s?`, "La moción queda retirada", "form that secretaries of town halls print"},
		{Unanimous, `(?:por|con la) unanimidad|unanimemente|unanime|por asentimiento|unanimidad de (?:los|las|sus)`,
			"Aprobada por unanimidad", "form that secretaries of town halls print"},
		{Subject, `mocion|propuesta|votacion`, "La moción fue aprobada", "form that secretaries of town halls print"},
		{Named, `pleno|ayuntamiento|corporacion|cabildo|acta|dictamen|ordenanza|acuerdo|punto|orden del dia|presupuesto`,
			"El Pleno, por unanimidad, acuerda", "form that secretaries of town halls print"},
		{Moves, `propuso|mociono|mociona|presento la mocion`, "El regidor Doe propuso",
			"form that secretaries of town halls print"},
		{Mover, `propuesto por|propuesta por|mocion presentada por|a propuesta de|mocion de`,
			"Propuesto por el regidor Doe", "form that secretaries print"},
		{Seconds, `secundo`, "la regidora Roe secundó", "form that secretaries of town halls print"},
		{Seconder, `secundad[oa] por`, "secundado por la regidora Roe", "form that secretaries of town halls print"},
		{Aye, `vota(?:n|ron)? (?:a favor|si)|votos a favor|votos favorables|votos afirmativos|a favor|favorables`,
			"Votos a favor: Doe, Roe",
			"form that secretaries of town halls print"},
		{Nay, `vota(?:n|ron)? (?:en contra|no)|votos en contra|votos negativos|en contra`, "Votos en contra: Poe",
			"form that secretaries of town halls print"},
		{Abstain, `abstenciones|abstencion|se abst(?:ienen?|uv[oi]\w*)`, "Abstenciones: Poe",
			"form that secretaries of town halls print"},
		{Absent, `ausentes?`, "Ausentes: Poe", "form that secretaries of town halls print"},
		{Speaks, `por unanimidad|votos (?:a favor|en contra)|sometid[oa]s? a votacion|mayoria (?:absoluta|simple)|` +
			`queda(?:n|ron)? (?:aprobad|rechazad)\w+|se (?:aprueba|rechaza|acuerda)n?|votacion unanime|derrotad[oa] la|` +
			`votan (?:a favor|en contra|si|no)`, "Sometida a votación la propuesta",
			"form that secretaries of town halls print"},
		{Majority, `por (?:amplia )?mayoria`, "Aprobado por mayoría.", "form that secretaries of town halls print"},
		{Decides, `(?:aprob|aprueb|acuerd|acord|otorg|nombr|queda|resuel|autoriz|adopt|acept)\w*`,
			"El Pleno, por unanimidad, acuerda", "form that secretaries of town halls print"},
		{Rejects, `(?:rechaz|desestim|denieg|denegad)\w*|no (?:se )?(?:aprueb|aprob|prosper)\w*`,
			"El Pleno, por 8 votos en contra y 2 a favor, rechaza la moción.", "form that secretaries of town halls print"},
		{Body, `pleno|corporacion|ayuntamiento|cabildo|concejo|junta de gobierno|mocion|propuesta|asistentes|presentes`,
			"El Pleno del Ayuntamiento acuerda", "form that secretaries of town halls print"},
		{Another, `la comision|comision informativa|comisiones`, "La Comisión Informativa dictaminó por unanimidad",
			"form that secretaries of town halls print"},
		{Doubtful, `habia|habian|debera|podra|requiere|necesita|exige|ya se|contesta|pregunta|dice que|` +
			`(?:responde|recuerda|informa|explica|senala|manifiesta) qu[e']`, "El alcalde recuerda que ya se aprobó",
			"form that secretaries of town halls print"},
		{Put, `sometid[oa]s? a votacion|se somete a votacion`, "Sometida a votación la propuesta",
			"form that secretaries of town halls print"},
		{AyeVotes, `afirmativ[oa]s?|positivos?`, "siete votos afirmativos", "form that secretaries of town halls print"},
		{NayVotes, `negativ[oa]s?`, "dos votos negativos", "form that secretaries of town halls print"},
	},
}

// everyLanguage are the languages of the table.
const everyLanguage = "English French Spanish"

// romance returns the words of some senses in French and Spanish.
func romance(of ...Sense) string { return wordsIn([]string{"French", "Spanish"}, of...) }

func wordsIn(names []string, of ...Sense) string {
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

// Patterns are regular expressions made of the words. All match folded text (FoldText).
type Patterns struct {
	Outcome   *Pattern // a word of an outcome
	senses    map[Sense]*regexp.Regexp
	Label     *regexp.Regexp // the whole label of a row of names
	Subject   *Pattern
	Named     *Pattern
	Lead      *regexp.Regexp
	Moves     *Pattern
	MovedBy   *Pattern
	Seconds   *Pattern
	SecondBy  *Pattern
	Unanimous *Pattern
	Voice     *Pattern
	Died      *Pattern
	Counted   *Pattern // number before a position
	Counts    *Pattern // position before a number
	Position  *Pattern // a position, but no word that is frequent elsewhere
	Figure    *Pattern
	Speaks    *Pattern
	rows      *Pattern // the label of a row
	Romance   romanceExpr
}

// romanceExpr has the words of bodies that decide in French and Spanish.
type romanceExpr struct {
	Unanimous, Majority, No, Yes, Later, Doubtful, Another, Body, Put, Resolves *Pattern
	Counted                                                                     *Pattern // number before a position
	Rows                                                                        *Pattern // position before a number
	Side                                                                        *Pattern // position before its names
	Of                                                                          *Pattern // position before "of" and a name
}

// newPatterns returns the grammar with the words of some languages.
func newPatterns(names ...string) *Patterns {
	words := func(of ...Sense) string { return wordsIn(names, of...) }
	word := func(of ...Sense) *Pattern { return Compile(`\b(?:` + words(of...) + `)\b`) }
	x := &Patterns{
		Outcome: word(Carried, Failed, Tabled, Continued, Referred),
		senses:  map[Sense]*regexp.Regexp{},
		Subject: word(Subject), Named: word(Named), Moves: word(Moves), Seconds: word(Seconds),
		Lead:      regexp.MustCompile(`^(?:` + words(Lead) + `)\s*(?::|\.|[-–—]|  )\s*`),
		MovedBy:   Compile(`\b(?:` + words(Mover) + `)\b\s*[:.–—-]?\s*`),
		SecondBy:  Compile(`\b(?:` + words(Seconder) + `)\b\s*[:.–—-]?\s*`),
		Unanimous: word(Unanimous), Voice: word(Voice), Died: word(Died),
	}
	for s := Result; s < Senses; s++ {
		if w := words(s); w != "" {
			x.senses[s] = regexp.MustCompile(`^(?:` + w + `)$`)
		}
	}
	for _, re := range []*Pattern{x.Outcome, x.Subject, x.Named, x.Moves, x.MovedBy, x.Seconds, x.SecondBy, x.Unanimous} {
		re.Longest()
	}
	x.Lead.Longest()
	positions := words(Aye, Nay, Abstain, Absent, Recused, NotVoting, Present, Passing)
	x.Label = regexp.MustCompile(`^(?:` + positions + `)\b`)
	x.Label.Longest()
	x.Counted = Compile(`\b(` + Figure + `|none)(?: ?\(\d{1,3}\))?[ -]{0,12}(?:were |was |voted |voting |members? |` +
		`councill?ors? |board members? |votes? |voix |votos? )*` +
		`(` + words(Aye, Nay, Abstain, Absent, Recused, NotVoting) + `)\b`)
	x.Counts = Compile(`\b(` + words(Aye, Nay, Abstain, Absent, Recused, NotVoting) +
		`)(?: votes?)?\s*(?:[-–—:=(]\s*)*(` + Figure + `)\b`)
	x.Position = Compile(`\b(?:`+words(Aye, Nay, Abstain, Absent, Recused, NotVoting)+`)\b`).
		without("for", "yes", "no", "agreed", "approve", "pour")
	x.Speaks = word(Speaks)
	x.rows = Compile(`\b(?:` + words(Mover, Seconder, Aye, Nay, Abstain, Absent, NotVoting, Recused) + `)\b`)
	latin := func(of ...Sense) *Pattern { return Compile(`\b(?:` + romance(of...) + `)\b`) }
	sides := `(` + romance(Aye, Nay, Abstain, AyeVotes, NayVotes) + `)\b`
	x.Romance = romanceExpr{Unanimous: latin(Unanimous), Majority: latin(Majority), No: latin(Failed, Rejects),
		Yes: latin(Decides), Later: latin(Continued), Doubtful: latin(Doubtful), Another: latin(Another), Body: latin(Body),
		Put: latin(Put), Resolves: latin(Resolves),
		Counted: Compile(`\b(` + Figure + `|aucune?|ningun[oa]?)[ (]{1,2}(?:(?:\d{1,3}|` + Figure + `)\)? )?` +
			`(?:voix |votos? |votes? |suffrages? |bulletins? )?(?:des? \w+ )?` + sides),
		Rows: Compile(`\b` + sides + `(?: ?\(s\))?\s*(?:[:=,-]?\s*(\d{1,3})|: ([oq]))\b`),
		Side: Compile(`\b(?:vota(?:n|ron)?|voto) (?:por la )?(` + romance(Aye, Nay, AyeVotes, NayVotes) + `),? ` +
			`(?:(?:los|las|el|la) )?|\b(` + romance(Nay, Abstain) + `) ?: `),
		Of: Compile(`\b(` + romance(Nay, Abstain) + `),? (?:del|de los|de las|de la|de|du|des) `)}
	x.Figure = Compile(`\b(?:` + Figure + `|none)\b`)
	return x
}

// numbers are the counts in words, by language, each in its order from zero.
var numbers = [][]string{
	strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
		"sixteen seventeen eighteen nineteen twenty"),
	strings.Fields("zero un deux trois quatre cinq six sept huit neuf dix"),
	strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez"),
}

// Figure matches a count in digits or words.
var Figure = `\d{1,3}|une|una|` + strings.Join(slices.Concat(numbers...), "|")

// SenseOf returns the sense of a word of one of the given senses.
func (x *Patterns) SenseOf(word string, of ...Sense) (Sense, bool) {
	for _, s := range of {
		if r := x.senses[s]; r != nil && r.MatchString(word) {
			return s, true
		}
	}
	return 0, false
}

// Positions are the senses of the rows of rolls.
var Positions = []Sense{Aye, Nay, Abstain, Absent, Recused, NotVoting, Present, Passing}

// PositionOf maps a sense to a position. Those who do not vote are absent; those present have none.
func PositionOf(s Sense) (council.Position, bool) {
	switch s {
	case Aye:
		return council.Aye, true
	case Nay:
		return council.Nay, true
	case Abstain:
		return council.Abstain, true
	case Absent, NotVoting:
		return council.Absent, true
	case Recused:
		return council.Recused, true
	}
	return "", false
}

// rowOf returns what a word means as the label of a row, in minutes of any town.
func (x *Patterns) rowOf(word string) (row Sense, known bool) {
	f := strings.ToLower(word)
	if !x.rows.beginsAt(f) {
		return Unknown, false
	}
	row, known = x.SenseOf(f, Seconder, Mover, Aye, Nay, Abstain, Absent, NotVoting, Recused)
	if row == NotVoting {
		row = Absent
	}
	return row, known
}

// Side returns the side of a word of those who vote in French or Spanish.
func (x *Patterns) Side(word string) Sense {
	switch s, _ := x.SenseOf(word, Abstain, Aye, AyeVotes); s {
	case Abstain, Aye:
		return s
	case AyeVotes:
		return Aye
	}
	return Nay
}
