package words

// englishTelling are the words of what minutes tell of other votes, and of some outcomes.
var englishTelling = []Row{
	{"report title", `(?:mayor|manager|administrator|staff|committees?|commission(?:er)?s?|council(?:member|or|lor)?s?|` +
		`department|superintendent|engineer|attorney|solicitor|police|fire|chief|library|board|liaison|delegate|` +
		`legislative|representatives?)(?:'s|s')? (?:reports?|updates?|comments?)|correspondence|communications?$|` +
		`announcements|` +
		`(?:public|citizens?'?|residents'?|audience) (?:comments?|input|forum|participation)|open forum|legislative update`,
		"MANAGER'S REPORT", "no document at hand"},
	{"history title", `background|history|findings?|staff report|staff analysis|summary of request|previous actions?|` +
		`prior actions?|past actions?|election results|ballot results`,
		"BACKGROUND: the Council approved the first reading 4-1.", "no document at hand"},
	{"body met", `met\b|held (?:a|its|their) (?:[a-z]+ ){0,2}(?:meeting|hearing|session)|convened`,
		"The Highway Committee met Tuesday.", "no document at hand"},
	{"acts as body", `of|by|has|have|had|also|unanimously`,
		"The school committee has invited the council.", "no document at hand"},
	{"seconds", `seconding`,
		"Trustee Moe moved to adopt it, Trustee Coe seconding.", "no document at hand"},
	{"long ago", `at (?:the|its|our|their) (?:january|february|march|april|may|june|july|august|september|october|` +
		`november|` +
		`december|last|previous|prior) (?:meeting|session)`,
		"At the January meeting the motion failed.", "no document at hand"},
	{"quoting", `read(?:s|ing)?|quot(?:ed|es|ing)|letter|e-?mail|minutes|wrote|writes|section|article|bylaws?|charter`,
		"The Clerk read from the minutes: \"Motion carried 4-1.\"", "no document at hand"},
	{"rule of votes", `(?:a|any|every|no) (?:tied? )?(?:motion|vote|amendment|tie) (?:always |then |only |` +
		`also )?(?:carries|passes|` +
		`fails|means|is (?:lost|carried|adopted|defeated))`,
		"a motion carries with three ayes; a tie vote means the motion fails", "no document at hand"},
	{"long ago", `(?:years?|months?|weeks?|days?) (?:earlier|before|prior)`,
		"the budget passed six months earlier", "Alta UT, Town Council, 2023-12-13"},
	{"motion was", `(?:the )?(?:motion|amendment|proposal) was (?:then )?put(?: to (?:the|a) (?:meeting|vote|council|` +
		`board))?,? ` +
		`and(?: was)?|this was`,
		"The motion was put to the meeting and was agreed.", "no document at hand"},
	{"unanimous", `all (?:of )?(?:the )?(?:members|council ?members|councill?ors|commissioners|trustees|directors|` +
		`supervisors|` +
		`aldermen|board members) (?:present )?(?:voted |voting |were |being )?(?:aye|yes|in favou?r|in the affirmative)`,
		"all Commissioners present voting in the affirmative", "no document at hand"},
	{"more than a majority", `(?:two|three)[- ](?:thirds|fourths|quarters)|2/3|3/4|supermajority|override|required|` +
		`requires`,
		"The required two-thirds vote was not reached.", "no document at hand"},
	{"recommends", `recommend(?:ed|s|ing)?|endorse[ds]`,
		"the Planning Commission recommended the change by a vote of 4 to 1", "no document at hand"},
	{"request", `appeal|application|request|variance|permit|petition|claim|waiver|rehearing|exception|exemption|plat|` +
		`bid|offer`,
		"Appeal denied, 3-2.", "no document at hand"},
	{"denied", `denied|rejected|refused`,
		"Appeal denied, 3-2.", "no document at hand"},
	{"resolved word", `ordered`,
		"ORDERED: that the Clerk advertise the hearing.", "form of councils of Massachusetts"},
	{"counting", `none|nobody`,
		"Five in favor, none opposed.", "no document at hand"},
	{"in closed session", `in (?:the )?(?:closed|executive) session`,
		"announced that the Board had voted unanimously in executive session to settle", "no document at hand"},
	{"in case of tie", `in (?:the )?(?:case|event) of a tie`,
		"In case of a tie the chair votes.", "no document at hand"},
}

// frenchTelling are the same of French documents.
var frenchTelling = []Row{
	{"report title", `informations (?:diverses|du|de la)|correspondances?|questions (?:diverses|orales|des conseillers)|` +
		`decisions du (?:maire|president)|decisions prises par|rapports? (?:du|de la|des) (?:maire|mairesse|comites?|` +
		`commissions?)|` +
		`periode de questions|rapport des? .*delegues?`,
		"QUESTIONS DIVERSES", "no document at hand"},
	{"history title", `historique|rappel`,
		"HISTORIQUE", "no document at hand"},
	{"body met", `s'est reunie?|se sont reunis`,
		"La commission des finances s'est réunie le 2 mars.", "no document at hand"},
	{"long ago", `(?:a|lors de) la (?:seance|reunion) (?:de |d')(?:janvier|fevrier|mars|avril|mai|juin|juillet|aout|` +
		`septembre|` +
		`octobre|novembre|decembre)`,
		"À la séance de janvier, la motion a été rejetée.", "no document at hand"},
	{"doubtful", `les deliberations sont prises`,
		"Les délibérations sont prises à la majorité absolue.", "Code général des collectivités territoriales FR, L2121-20"},
	{"recommends", `(?:propose|recomm[a]nde|preavise|preconise|suggere)(?:nt)?`,
		"la commission propose d'accepter par 4 voix contre 1", "no document at hand"},
	{"how a body decides", `a l'unanimite|a la|par|avec|apres|sans|oui|vu|sur`,
		"Le conseil, à l'unanimité, a approuvé le budget.", "no document at hand"},
	{"recited", `vu|considerant|attendu|entendu|rappelant`,
		"VU la délibération du 12 mars, adoptée par 4 voix", "no document at hand"},
	{"then decides", `(?:le |la |notre )?(?:conseil|assemblee|comite)|il est|apres (?:en )?avoir|` +
		`decide|arrete|approuve|adopte|delibere`,
		"Vu le rapport, le conseil décide", "no document at hand"},
	{"unanimous", `(?:votes?|resultat du vote|scrutin|decision) ?: ?(?:a l')?unanimite`,
		"Résultat du vote : Unanimité", "no document at hand"},
	{"with or by", `avec|moins|malgre`,
		"adopté avec deux abstentions", "no document at hand"},
	{"some of them", `la|l'|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|\d{1,2}`,
		"adopté avec deux abstentions", "no document at hand"},
	{"abstention or vote against", `abstentions?|voix contre|votes? contre|oppositions?|dissidences?`,
		"adopté avec deux abstentions", "no document at hand"},
	{"against in words", `contre`,
		"adopté trois contre deux", "no document at hand"},
	{"with votes", `par`,
		"approuvé par 5 voix contre 4 au conseil d'école", "no document at hand"},
	{"in case of tie", `en cas (?:d'egalite|de partage)`,
		"En cas d'égalité, la voix du maire est prépondérante.", "no document at hand"},
}

// spanishTelling are the same of Spanish documents.
var spanishTelling = []Row{
	{"report title", `ruegos y preguntas|informes?(?: (?:de|del|de la) .*)?$|dacion de cuentas?|correspondencia|` +
		`comunicaciones`,
		"RUEGOS Y PREGUNTAS", "no document at hand"},
	{"history title", `antecedentes(?: de hecho)?`,
		"ANTECEDENTES", "no document at hand"},
	{"body met", `se reunio|se reunieron`,
		"La Comisión se reunió el 2 de marzo.", "no document at hand"},
	{"long ago", `en la (?:sesion|reunion) (?:de|del mes de) (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|` +
		`septiembre|` +
		`octubre|noviembre|diciembre)`,
		"En la sesión de enero la moción fue rechazada.", "no document at hand"},
	{"doubtful", `los acuerdos se (?:adoptan|toman)`,
		"Los acuerdos se adoptan por mayoría simple.", "Ley 7/1985 ES, art. 47"},
	{"recommends", `propone|recomienda|sugiere`,
		"la Comisión propone aceptarla por 4 votos contra 1", "no document at hand"},
	{"how a body decides", `por|con|tras|previ[oa]|sin|oid[oa]|vist[oa]`,
		"El Pleno, por unanimidad, acordó aprobar el convenio.", "no document at hand"},
	{"recited", `visto|vista|vistos|vistas|considerando|resultando`,
		"VISTO el dictamen, aprobado por 3 votos a favor", "no document at hand"},
	{"then decides", `(?:el |la )?(?:pleno|cabildo|concejo|corporacion|ayuntamiento)|se (?:aprueba|acuerda|rechaza)`,
		"Visto el informe, el Pleno acuerda", "no document at hand"},
	{"with votes", `par`,
		"approuvé par 5 voix contre 4 au conseil d'école", "no document at hand"},
	{"lead", `votacion|resultado de la votacion`,
		"Votación: cinco votos positivos.", "no document at hand"},
	{"behind", `en firme`,
		"APROBADO EN FIRME", "form of councils of Costa Rica"},
	{"is", `fue|fueron|queda|quedo|resulta|resulto|ha sido`,
		"La moción fue derrotada.", "no document at hand"},
	{"decides", `resulta afirmativa`,
		"resulta afirmativa por 4 votos contra 1", "no document at hand"},
	{"rejects", `resulta negativa`,
		"resulta negativa por 4 votos contra 1", "no document at hand"},
	{"mover", `mocion del`,
		"La moción del regidor Roe", "no document at hand"},
	{"with or by", `con|salvo`,
		"se aprueba con la abstención de la concejal Doe", "no document at hand"},
	{"some of them", `la|el|las|los|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|\d{1,2}`,
		"aprobado con dos abstenciones", "no document at hand"},
	{"abstention or vote against", `abstencion(?:es)?|votos? en contra`,
		"aprobado con dos abstenciones", "no document at hand"},
	{"against in words", `a|contra`,
		"derrotada dos a tres", "no document at hand"},
	{"with votes", `por`,
		"aprobado por 5 votos contra 4 en la Junta", "no document at hand"},
	{"in case of tie", `en caso de empate`,
		"En caso de empate decide el presidente.", "no document at hand"},
	{"acting", `informo (?:favorable|desfavorable)mente`,
		"La Comisión informó favorablemente por mayoría.", "no document at hand"},
	{"doubtful", `se sometera|sera sometid[oa]s?|para ser aprobad[oa]s?|segun (?:el reglamento|la ley)`,
		"La propuesta se someterá a votación en el próximo pleno.", "no document at hand"},
}
