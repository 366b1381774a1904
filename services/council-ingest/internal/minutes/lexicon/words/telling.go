package words

// englishTelling are the words of what minutes tell of other votes, and of some outcomes.
var englishTelling = []Row{
	{"report title", `(?:mayor|manager|administrator|staff|committees?|commission(?:er)?s?|council(?:member|or|lor)?s?|` +
		`department|superintendent|engineer|attorney|solicitor|police|fire|chief|library|board|liaison|delegate|` +
		`legislative|representatives?)(?:'s|s')? (?:reports?|updates?|comments?)|correspondence|communications?$|announcements|` +
		`(?:public|citizens?'?|residents'?|audience) (?:comments?|input|forum|participation)|open forum|legislative update`,
		"MANAGER'S REPORT", "no document at hand"},
	{"history title", `background|history|findings?|staff report|staff analysis|summary of request|previous actions?|` +
		`prior actions?|past actions?|election results|ballot results`,
		"BACKGROUND: the Council approved the first reading 4-1.", "no document at hand"},
	{"body met", `met\b|held (?:a|its|their) (?:[a-z]+ ){0,2}(?:meeting|hearing|session)|convened`,
		"The Highway Committee met Tuesday.", "no document at hand"},
	{"quoting", `read(?:s|ing)?|quot(?:ed|es|ing)|letter|e-?mail|minutes|wrote|writes|section|article|bylaws?|charter`,
		"The Clerk read from the minutes: \"Motion carried 4-1.\"", "no document at hand"},
	{"rule of votes", `(?:a|any|every|no) (?:tied? )?(?:motion|vote|amendment|tie) (?:always |then |only |also )?(?:carries|passes|` +
		`fails|means|is (?:lost|carried|adopted|defeated))`,
		"a motion carries with three ayes; a tie vote means the motion fails", "no document at hand"},
	{"long ago", `(?:years?|months?|weeks?|days?) (?:earlier|before|prior)`,
		"the budget passed six months earlier", "Alta UT, Town Council, 2023-12-13"},
	{"in case of tie", `in (?:the )?(?:case|event) of a tie`,
		"In case of a tie the chair votes.", "no document at hand"},
}

// frenchTelling are the same of French documents.
var frenchTelling = []Row{
	{"report title", `informations (?:diverses|du|de la)|correspondances?|questions (?:diverses|orales|des conseillers)|` +
		`decisions du (?:maire|president)|decisions prises par|rapports? (?:du|de la|des) (?:maire|mairesse|comites?|commissions?)|` +
		`periode de questions|rapport des? .*delegues?`,
		"QUESTIONS DIVERSES", "no document at hand"},
	{"history title", `historique|rappel`,
		"HISTORIQUE", "no document at hand"},
	{"body met", `s'est reunie?|se sont reunis`,
		"La commission des finances s'est réunie le 2 mars.", "no document at hand"},
	{"recommends", `(?:propose|recomm[a]nde|preavise|preconise|suggere)(?:nt)?`,
		"la commission propose d'accepter par 4 voix contre 1", "no document at hand"},
	{"recited", `vu|considerant|attendu|entendu|rappelant`,
		"VU la délibération du 12 mars, adoptée par 4 voix", "no document at hand"},
	{"then decides", `(?:le |la |notre )?(?:conseil|assemblee|comite)|il est|apres (?:en )?avoir|` +
		`decide|arrete|approuve|adopte|delibere`,
		"Vu le rapport, le conseil décide", "no document at hand"},
	{"with votes", `par`,
		"approuvé par 5 voix contre 4 au conseil d'école", "no document at hand"},
	{"in case of tie", `en cas (?:d'egalite|de partage)`,
		"En cas d'égalité, la voix du maire est prépondérante.", "no document at hand"},
}

// spanishTelling are the same of Spanish documents.
var spanishTelling = []Row{
	{"report title", `ruegos y preguntas|informes?(?: (?:de|del|de la) .*)?$|dacion de cuentas?|correspondencia|comunicaciones`,
		"RUEGOS Y PREGUNTAS", "no document at hand"},
	{"history title", `antecedentes(?: de hecho)?`,
		"ANTECEDENTES", "no document at hand"},
	{"body met", `se reunio|se reunieron`,
		"La Comisión se reunió el 2 de marzo.", "no document at hand"},
	{"recommends", `propone|recomienda|sugiere`,
		"la Comisión propone aceptarla por 4 votos contra 1", "no document at hand"},
	{"recited", `visto|vista|vistos|vistas|considerando|resultando`,
		"VISTO el dictamen, aprobado por 3 votos a favor", "no document at hand"},
	{"then decides", `(?:el |la )?(?:pleno|cabildo|concejo|corporacion|ayuntamiento)|se (?:aprueba|acuerda|rechaza)`,
		"Visto el informe, el Pleno acuerda", "no document at hand"},
	{"with votes", `par`,
		"approuvé par 5 voix contre 4 au conseil d'école", "no document at hand"},
	{"with votes", `por`,
		"aprobado por 5 votos contra 4 en la Junta", "no document at hand"},
	{"in case of tie", `en caso de empate`,
		"En caso de empate decide el presidente.", "no document at hand"},
	{"acting", `informo (?:favorable|desfavorable)mente`,
		"La Comisión informó favorablemente por mayoría.", "no document at hand"},
	{"doubtful", `se sometera|sera sometid[oa]s?|para ser aprobad[oa]s?|segun (?:el reglamento|la ley)`,
		"La propuesta se someterá a votación en el próximo pleno.", "no document at hand"},
}
