package lexicon

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
		{Referred, `referred|remanded`,
			"REFERRED TO COMMISSIONER OF PUBLIC WORKS", "Portland OR, City Council, 2011-01-12"},
		{Died, `died|dies|withdrawn|withdrew|withdraws|rescinded the motion|` +
			`(?:lack|want|absence) of (?:a |any )?(?:second(?:er)?|support)\b|no second(?:er)?\b|not seconded|` +
			`did not receive a second|ruled out of order`,
			"The motion died for lack of a second.", "Nashua NH, Board of Aldermen, 2018-02-13"},
		{Unanimous, `unanimous(?:ly)?|all ?[:-] ?ayes?|una(?:im|nam|nin|mi)ous(?:ly)?|` +
			`unanimious(?:ly)?|unanimouly|unanimosly|all ` +
			`(?:those |members |the members )?(?:present |presents |were |was |voted |` +
			`voting |said |being )*` +
			`(?:in favou?r|aye|yes|yea|for)|all (?:members )?(?:present )?(?:agreed|in agreement|approved?)|all ayes|` +
			`all (?:voted )?affirmative|` +
			`all (?:yeas|yes|yea)|(?:by|of) all|all (?:members )?(?:present )?answered in the affirmative|none opposed|` +
			`no opposition|no objections?|no nays|no one opposed|without (?:dissent|objection|opposition)|nem\.? ?con`,
			"All were in favor. Motion passes.", "Crete IL, Board of Trustees, 2022-03-09"},
		{Voice, `voice vote|by acclamation|show of hands|general consent|by consensus|without objection`,
			"approved unanimously by voice vote on a motion by Mr. Doe", "Columbia MO, City Council, 2015-10-19"},
		{Subject, `motions?|articles?|amendments?|amended motion|substitute|proposal|question|vote|ayes|nays|main motion|` +
			`ballot`,
			"The Mayor declared the proposal as carried.", "Limerick IE, City and County Council, 2024-02-26"},
		{Named, `resolutions?|ordinances?|bills?|by-?laws?|minutes|agenda|calendar|items?|reports?|applications?|` +
			`requests?|it|recommendations?|nominations?|matters?|contracts?|measures?|petitions?|plans?|policy|council|board|` +
			`commission|committee|trustees`, "B313-15 was given third reading ... Bill declared defeated.",
			"Columbia MO, City Council, 2015-11-02"},
		{Lead, `action(?: taken)?|votes?|voted|decision|results?|final resolution|resolution|outcome|disposition|motion|` +
			`board vote|` +
			`council action|recorded vote|final vote|roll call(?: vote)?|rc|vote result|motion result`,
			"Final Resolution: Motion Carried", "Sacramento County CA, Board of Education, 2024-08-13"},
		{Moves, `moved|moves|motioned|making (?:a|the) motion|made (?:a |the |another )?(?:[a-z]+ ){0,3}motion|makes ` +
			`(?:a|the) motion|` +
			`offered (?:a|the) (?:[a-z]+ )?motion|` +
			`presented (?:a|the) motion|proposed|introduced (?:a|the) motion|put forward a motion|so moved|` +
			`introduced (?:the |a |this )?(?:council )?(?:bill|ordinance|resolution)|(?:introduced|offered|presented|` +
			`submitted) the following (?:[a-z]+ ){0,3}(?:resolution|ordinance|motion)|` +
			`offered (?:a|the) (?:following )?(?:resolution|ordinance)`,
			"Councilmember Doe MOVED that the City Council approve", "Riverton UT, City Council, 2025-12-16"},
		{Mover, `moved(?: and approved)?,? by|` +
			`moved as (?:correct|read|printed|a true record),? by|motioned by|motion (?:was )?(?:duly )?(?:made |offered |presented |` +
			`proposed )?by|motion of|` +
			`proposed (?:as [a-z ]{3,30} )?by|proposed|proposer|mover|movant|moved|offered by|introduced by|made by|` +
			`proposal of|motion from|` +
			`initiated by|was made by|maker|motion made|proposition of|in the name of|resolved by|motion`,
			"Moved by Councillor Doe / Seconded by Councillor Roe", "Guelph ON, City Council, 2014-02-10"},
		{Seconds, `made (?:a|the) second|seconded|seconds|second|2nd|2nded|supported`, "Director Doe seconded the motion.",
			"Fair Oaks CA, Water District, 2019-06-03"},
		{Seconder, `seconded (?:by|from)|2nd(?:ed)?(?: by)?|second(?:ed)? (?:was )?(?:made |given |offered |provided )?(?:by|` +
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
		{Nay, `nays?|noes|no(?:'s)? votes?|no|against(?: the (?:substantive |substitute )?(?:motion|amendment|` +
			`proposal))?|opposed?|in opposition|dissenting|dissent|negative|votes? against|` +
			`(?:the following |those )?(?:members |trustees |council ?members |councill?ors |commissioners |supervisors |` +
			`directors )?(?:present )?(?:voting|voted|who voted) (?:nay|no|against|in opposition|` +
			`in the negative)(?: thereof| the same| same)?`,
			"NAYS:    DOE, ROE, POE", "Charlotte NC, Historic District Commission, 2018-06-13"},
		{Nay, `nees|nocs|noos|nayes|nos`, "Nees: 5", "Amityville NY, Board of Education, 1928; a scan's misreading of Noes"},
		{Abstain, `abstain(?:ed|ing|s|er|ers)?|abstentions?|absentions?|absensions?|absetntions?|those abstaining`,
			"Abstain: Doe, Roe",
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
		{Majority, `by (?:a )?(?:simple )?majority|on (?:a )?division|not unanimous`, "Carried by a majority.",
			"form that clerks print"},
		{Requires, `require[sd]?|needs?|needed|must|would|should|if|whether|could|how`,
			"The motion requires a unanimous vote.", "form that clerks print"},
		{OfVote, `vot(?:es?|ed|ing)|carried|carries|passed|passes|failed|approved|adopted|defeated|lost|` +
			`unanimous(?:ly)?|tied?|ties`, "The motion carried 4-1 with Commissioner Doe dissenting.",
			"Clayton MO, Board of Aldermen, 2019-05-28"},
		{Counting, `all|ayes|aye|yeas|yea|yes|nays|nay|noes|no|in|favor|favour|opposed|oppose|abstained|abstain|` +
			`abstentions|` +
			`abstention|recused|recusal|recusals|absent|board|vote|votes|total|for|against|voting|and|with|of|were|was|y|n|` +
			`members|abstaining|excused|a|by|to|one|two|three|four|five|six|seven|eight|nine|ten|zero|the|roll|call`,
			"Vote: 4 ayes, 1 nay", "form that clerks print"},
		{Agreeing, `all|elected|the|vote|was|were|motion|a|by|on|and|it|to|approve|councilors|councillors|council|members|` +
			`board|` +
			`member|present|with|upon|is|roll|call|taken|of|in|favor|voted|trustees|commissioners|directors|this|for|favour|` +
			`passed|carried|approved|an`, "The vote was unanimous.", "form that clerks print"},
		{Numbering, `january|february|march|april|may|june|july|august|september|october|november|december|sections?|` +
			`no\.|number|resolution|ordinance|bill|chapter|items?|fy|article|page|lots?|between|from|r-|code|case|file`,
			"Section 4-1 of the code", "form that clerks print"},
		{What, `to|that|for|the|we|this|approval|approv|adoption|adopt|acceptance|accept|passage|tabl|its|an?|by|and|` +
			`and seconded|a motion|as|adjournment`, "Trustee Doe moved to approve", "form that clerks print"},
		{Firm, `carried|carries|passed|passes|failed|fails|defeated|lost|prevailed|prevails|enacted|tabled`,
			"The motion carried 4-1", "Clayton MO, Board of Aldermen, 2019-05-28"},
		{Soft, `accepted|agreed|confirmed|granted|concurred|sustained|upheld|referred|resolved|continued`,
			"The report was accepted.", "form that clerks print"},
		{Between, `the|this|that|was|were|is|are|been|has|have|and|so|also|then|it|which|duly|unanimously|finally|hereby|` +
			`thereupon|declared|stands?|subsequently|upon|vote|voting|on|by|final|main|original|amended|as|a|an|roll|call|` +
			`ended|being|called|voice|put|to|question|record|recorded|taken|motion|motions|resolved|moved|made|seconded|n|` +
			`council|board|votes?|with|passage|all|reading|read|third|second|first|time|in|full|proposal|therefore|unanimous|` +
			`chair|mayor|announced|same|above|substitute|amendment|resolution|ordinance|consent|bill|policy|bills|` +
			`resolutions|ordinances|proposition`, "The motion was then put to the vote and carried.", "form that clerks print"},
		{Behind, `via|unanimous|unanimously|by|on|a|an|the|voice|vote|votes|roll|call|as|amended|presented|submitted|` +
			`written|` +
			`with|and|of|to|all|in|favor|favour|no|nays?|ayes?|yes|yeas?|noes|none|opposed|against|for|abstention|abstentions|` +
			`abstained|abstaining|recused|absent|members?|present|following|majority|council|board|consent|show|hands|` +
			`division|voting|councilmembers?|councill?ors?|commissioners?|trustees?|directors?|recorded|` +
			`being|cast|it|so|ordered|unanimity|due|tied|tie|lack|second|is|was|motion|carried|passed|approved|adopted|` +
			`declared|reading|follows|dissent|opposition|objection|without|zero|one|two|three|four|five|six|seven|eight|nine|` +
			`ten|want|thirds|required|needed`, "Carried by a vote of 4-1", "form that clerks print"},
		{Weak, `for|no|yes|against|approve|agreed|present|away|conflicts?|opposed?|negative|affirmative|dissent|` +
			`in favou?r|in opposition|excused|absent|left early`, "For: Doe, Roe", "form that clerks print"},
		{Spoken, `ayes?|yea|yes|nay|no|abstain(?:ed)?|absent`, "Doe yes, Roe no", "form that clerks print"},
		{Answer, `yeas|nays|abstain(?:ing|s)|recused?|excused|not voting|nv|in favou?r|y|n`, "Doe – recused",
			"form that clerks print"},
		{Verdict, `for|against|approved?|denied|deny|opposed`, "Doe – for, Roe – against", "form that clerks print"},
		{AyeAnswer, `y|a|approved?`, "Doe – Y", "form that clerks print"},
		{NayAnswer, `n|denied|deny`, "Roe – N", "form that clerks print"},
		{AbstainAnswer, `ab|abs`, "AB    Doe", "form that clerks print"},
		{Attending, `present|attendance|attendees|attendee|attending|attended|answering|responding`, "Members Present: Doe",
			"form that clerks print"},
		{Missing, `absent|absents|absentees|absence|absentee|regrets|apologies|apology|missing`, "Apologies: Doe",
			"form that clerks print"},
		{Excusing, `excused|excuses|unexcused`, "Excused: Doe", "form that clerks print"},
		{Online, `remote|remotely|zoom|teleconference|telephone|phone|virtual|virtually|online|electronically|` +
			`videoconference|video`, "Members present via Zoom: Doe", "form that clerks print"},
		{Tardy, `late|tardy`, "Late: Doe", "form that clerks print"},
		{Guests, `staff|other|others|also|guest|guests|visitor|visitors|public|press|media|administration|administrative|` +
			`employees|consultants|consultant|personnel|observers|citizens|residents|audience|officers|appointed|nonmembers|` +
			`nonmember|advisory|advisors|witnesses|presenters|speakers`, "Staff Present: Doe", "form that clerks print"},
		{OfBody, `cllr|cllrs|cr|crs|clr|clrs|members|member|council|councilmembers|councilmember|councillors|councilors|` +
			`councilmen|board|commission|commissioners|commissioner|trustees|directors|supervisors|selectmen|selectboard|` +
			`elected|committee|aldermen|alderpersons|legislators|representatives|officials`, "Council Members Present: Doe",
			"form that clerks print"},
		{Presiding, `conducting|presiding`, "CONDUCTING Mayor Doe", "form that clerks of Utah print"},
		{Negating, `not|non|no`, "Members Not Present: Doe", "form that clerks print"},
		{Joining, `to|wit|wit:|motive|the|of|were|was|are|is|at|roll|call|those|following|follow|follows|as|beginning|` +
			`meeting|voting|with|without|notice|by|and|or|in|via|name|names|on|from|for|also,|additionally|participating|` +
			`person|` +
			`electronic|means|quorum|prior|joined|leave|previously|approved|granted|d|l|a`,
			"The following members were present: Doe", "form that clerks print"},
	},
	"French": {
		{Carried, `adoptee?s?|approuvee?s?|acceptee?s?|votees?`, "ADOPTÉE À L'UNANIMITÉ",
			"form that clerks of Québec print"},
		{Failed, `rejetee?s?|refusee?s?|defaite`, "Rejetée à la majorité", "form that clerks of Québec print"},
		{Continued, `reportee?s?|ajournee?s?|differee?s?`,
			"La proposition est reportée", "form that clerks of Québec print"},
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
		{Abstain, `abstentions?|s'abstien(?:t|nent)|s'est abstenue?|se sont ` +
			`abstenue?s`, "S'abstiennent : Mmes Doe, Roe", "form that communes of Belgium print"},
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
		{Between, `est|sont|la|le|les|et`, "La proposition est adoptée", "form that clerks of Québec print"},
		{Behind, `a l'unanimite|l'unanimite|majorite|absolue|simple|membres|presents|representes|suffrages|exprimes|` +
			`votants|de|des|les|la|par|voix|conseillers`, "ADOPTÉE À LA MAJORITÉ DES MEMBRES PRÉSENTS",
			"form that clerks of Québec print"},
		{Weak, `pour|contre`, "Pour : Doe", "form that clerks of Québec print"},
		{AbstainVerb, `s'abstien(?:t|nent)|s'est abstenue?|se sont abstenue?s`, "Mme Doe s'abstient de voter.",
			"form that communes of France print"},
		{NayVerb, `(?:a|ont) vote contre|vote(?:nt)? contre|s'oppose(?:nt)?|` +
			`(?:enregistre|inscrit|exprime|manifeste)(?:nt)? sa dissidence`, "M. Doe vote contre.",
			"form that communes of France print"},
		{AyeVerb, `(?:a|ont) vote pour|vote(?:nt)? pour`, "M. Doe vote pour.", "form that communes of France print"},
		{NoVerb, `ne (?:participe|prend|prennent)(?:nt)? pas (?:part )?au vote|` +
			`n'(?:a|ont) pas (?:participe|pris part) au vote`, "Mme Doe ne prend pas part au vote.",
			"form that communes of France print"},
		{Attending, `present|presents|presente|presentes|present(e)s|presence|presences`,
			"Présents : M. Doe", "form that communes of France print"},
		{Missing, `absent|absents|absente|absentes|absence|absences|pouvoir|pouvoirs|procuration|procurations|` +
			`represente|representee|representes|representees`, "Absents : M. Doe",
			"form that communes of France print"},
		{Excusing, `excuse|excuses|excusee|excusees`, "Excusés : M. Doe", "form that communes of France print"},
		{Guests, `egalement|aussi|invites|autre|autres`, "Étaient également présents : M. Doe",
			"form that communes of France print"},
		{OfBody, `membres|conseillers|conseilleres|elus`, "Conseillers présents : M. Doe",
			"form that communes of France print"},
		{Presiding, `presidence`, "Présidence : M. Doe", "form that communes of France print"},
		{Joining, `sont|est|etaient|a|les|las|le|la|de|du|cette|seance|ont|ete|et|ayant|donne`,
			"Étaient présents à cette séance : M. Doe", "form that communes of France print"},
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
			`queda(?:n|ron)? (?:aprobad|rechazad)\w+|se (?:aprueba|rechaza|acuerda)n?|votacion (?:unanime|economica)|derrotad[oa] la|` +
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
		{What, `y|aprobar|que`, "El regidor Doe propuso aprobar el acta", "form that secretaries print"},
		{Between, `queda|fue|sometid[oa]s?|a|votacion|mocion|propuesta|la|el|y|se|por`, "La moción fue aprobada",
			"form that secretaries of town halls print"},
		{Behind, `mayoria|absoluta|simple|los|de|la|el|asistentes|presentes|miembros|concejales|mocion|propuesta|por|` +
			`unanimidad`, "Aprobada por mayoría absoluta", "form that secretaries of town halls print"},
		{Answer, `aprueba|rechaza|se abstiene`, "Concejal Doe: Aprueba.", "form of councils of Chile"},
		{AyeAnswer, `aprueba`, "Concejal Doe: Aprueba.", "form of councils of Chile"},
		{NayAnswer, `rechaza`, "Concejal Doe: Rechaza.", "form of councils of Chile"},
		{AbstainAnswer, `se abstiene`, "Concejal Doe: Se abstiene.", "form of councils of Chile"},
		{Answer, `a favor|en contra|abstencion`, "Ann Doe      A FAVOR", "form of councils of Mexico"},
		{Verdict, `a favor|en contra|abstencion`, "Ann Doe      A FAVOR", "form of councils of Mexico"},
		{AyeAnswer, `a favor`, "Ann Doe      A FAVOR", "form of councils of Mexico"},
		{NayAnswer, `en contra`, "Ann Doe      EN CONTRA", "form of councils of Mexico"},
		{AbstainAnswer, `abstencion`, "Ann Doe      ABSTENCIÓN", "form of councils of Mexico"},
		{AbstainVerb, `se abstienen?|se abstuvo|se abstuvieron`, "El Sr. Doe se abstiene.",
			"form that secretaries of town halls print"},
		{NayVerb, `vota(?:n|ron)? en contra|voto en contra`, "El Sr. Doe vota en contra.",
			"form that secretaries of town halls print"},
		{AyeVerb, `vota(?:n|ron)? a favor|voto a favor`, "El Sr. Doe vota a favor.",
			"form that secretaries of town halls print"},
		{NoVerb, `no participan? en la votacion`, "El Sr. Doe no participa en la votación.",
			"form that secretaries of town halls print"},
		{Attending, `presente|presentes|asistente|asistentes|asiste|asisten|asistencia|concurren|concurrentes|comparecen`,
			"Asistentes: Doe",
			"form that secretaries of town halls print"},
		{Missing, `ausente|ausentes|ausencias|falta|faltan|faltas`,
			"Ausentes: Doe", "form that secretaries of town halls print"},
		{Excusing, `excusa|excusan|excusado|excusados|excusada`,
			"Excusan su asistencia: Doe", "form that secretaries of town halls print"},
		{Guests, `suplentes|otros|otras|tambien|funcionarios|personal|tecnicos`, "También asisten: Doe",
			"form that secretaries of town halls print"},
		{OfBody, `propietario|propietarios|concejales|regidores|miembros|vocales|senores|sres|sras|senoras`,
			"Concejales presentes: Doe",
			"form that secretaries of town halls print"},
		{Presiding, `presidente|presidencia`, "Presidente: Doe", "form that secretaries of town halls print"},
		{Joining, `al|a|los|las|les|la|de|sesion|senor|senora|y|su|sus`, "Asistentes a la sesión: Doe",
			"form that secretaries of town halls print"},
	},
	"Irish": {
		{Attending, `lathair`, "I láthair: Doe", "form of councils of Ireland"},
		{Missing, `leithsceal|leithscealta|leithsceala`, "Leithscéalta: Doe", "form of councils of Ireland"},
		{Guests, `bhfreastal`, "I bhfreastal: Doe", "form of councils of Ireland"},
		{Joining, `i|ar`, "I láthair: Doe", "form of councils of Ireland"},
	},
	"Welsh": {
		{Attending, `presennol|bresennol`, "Yn bresennol: Doe", "form of councils of Wales"},
		{Missing, `ymddiheuriadau`, "Ymddiheuriadau: Doe", "form of councils of Wales"},
		{Guests, `hefyd`, "Hefyd yn bresennol: Doe", "form of councils of Wales"},
		{Joining, `yn`, "Yn bresennol: Doe", "form of councils of Wales"},
	},
}
