package words

// french are the words of documents that are not plainly English: there "refuse" is collected, and a
// "proposition" is on a ballot.
var french = []Row{
	{"carried", `adoptee?s?|approuvee?s?|acceptee?s?|votees?`, "ADOPTÉE À L'UNANIMITÉ",
		"form that clerks of Québec print"},
	{"failed", `rejetee?s?|refusee?s?|defaite`, "Rejetée à la majorité", "form that clerks of Québec print"},
	{"continued", `reportee?s?|ajournee?s?|differee?s?`,
		"La proposition est reportée", "form that clerks of Québec print"},
	{"died", `retiree?s?`, "La proposition est retirée", "form that clerks of Québec print"},
	{"unanimous", `a l'unanimite|unanimement|unanimite des|par acclamations?`, "ADOPTÉE À L'UNANIMITÉ",
		"form that clerks of Québec print"},
	{"subject", `proposition|vote|deliberation|amendement`, "La proposition est adoptée",
		"form that clerks of Québec print"},
	{"named", `conseil(?: municipal)?|assemblee|proces[- ]verbal|proces[- ]verbaux|compte[- ]rendu|deliberation|` +
		`reglement|ordre du jour|point|budget|comptes?`,
		"Le procès-verbal est adopté à l'unanimité.", "form that communes of France print"},
	{"mover", `propose(?:e)? par|proposition de`, "Il est proposé par la conseillère Doe",
		"form that clerks of Québec print"},
	{"seconder", `appuyee? (?:par|de)|secondee? par`, "appuyé par le conseiller Roe", "form that clerks of Québec print"},
	{"aye", `pour|en faveur|ont vote pour|votent pour|votent en faveur|voix pour|votes? pour|vote en faveur`,
		"Pour : Doe, Roe", "form that clerks of Québec print"},
	{"nay", `contre|ont vote contre|votent contre|voix contre|votes? contre|dissidences?`, "Contre : Poe",
		"form that clerks of Québec print"},
	{"abstain", `abstentions?|s'abstien(?:t|nent)|s'est abstenue?|se sont ` +
		`abstenue?s`, "S'abstiennent : Mmes Doe, Roe", "form that communes of Belgium print"},
	{"absent", `absente?s?`, "Absents : Poe", "form that clerks of Québec print"},
	{"speaks", `a l'unanimite|a la majorite|voix (?:pour|contre)|mis(?:e|es)? aux? voix|` +
		`est (?:adoptee?|acceptee?|approuvee?|rejetee?|refusee?)|sont (?:adopt|accept|approuv|rejet|refus)\w+`,
		"La résolution est adoptée.", "form that clerks of Québec print"},
	{"majority", `a (?:la|une)(?: large| forte| grande)? majorite`, "ADOPTÉE À LA MAJORITÉ",
		"form that clerks of Québec print"},
	{"decides", `(?:adopt|approuv|accept|decid|resol|valid|autoris|attribu|accord|ratifi|enterin|emet|designe)\w*|vote|` +
		`donne|fixe|elit|elu`,
		"Le conseil, à l'unanimité, décide d'attribuer une subvention.", "form that communes of France print"},
	{"rejects", `(?:rejete|rejette|repousse|refuse d|defavorable)\w*|refusee?s?|n'est pas (?:adopte|approuve)\w*|` +
		`n'a pas (?:ete )?(?:adopte|approuve)\w*`, "Le conseil, par 8 voix contre et 2 pour, rejette la proposition.",
		"form that communes of France print"},
	{"body", `conseil(?:lers)?|assemblee|deliberation|proposition|presents`, "Le conseil municipal décide",
		"form that communes of France print"},
	{"another", `la commission|le comite|le bureau`, "La commission a donné un avis favorable à l'unanimité",
		"form that communes of France print"},
	{"doubtful", `avait|avaient|aurait|devra|devront|pourra|pourraient|sera|seront|serait|si le conseil|requiert|` +
		`necessite|` +
		`par deliberation (?:n|du|en date)|(?:rappel\w*|repond|indique|precise|explique|informe|signale|souligne) qu[e']|` +
		`demande si`,
		"M. Doe rappelle que le conseil avait voté", "form that communes of France print"},
	{"put", `soumis(?:e|es)? (?:au vote|aux voix|au scrutin)|mis(?:e|es)? aux? (?:voix|votes?)`,
		"L'amendement est mis aux voix.", "form that communes of France print"},
	{"resolves", `resolue?s?`, "Il est proposé par Mme Doe, appuyé par M. Roe et résolu que le projet soit adopté",
		"form that clerks of Québec print"},
	{"aye votes", `oui|favorables?`, "par 27 oui", "form that municipalities of Switzerland print"},
	{"nay votes", `non|defavorables?`, "contre 14 non", "form that municipalities of Switzerland print"},
	{"between", `est|sont|la|le|les|et`, "La proposition est adoptée", "form that clerks of Québec print"},
	{"behind", `a l'unanimite|l'unanimite|majorite|absolue|simple|membres|presents|representes|suffrages|exprimes|` +
		`votants|de|des|les|la|par|voix|conseillers`, "ADOPTÉE À LA MAJORITÉ DES MEMBRES PRÉSENTS",
		"form that clerks of Québec print"},
	{"weak", `pour|contre`, "Pour : Doe", "form that clerks of Québec print"},
	{"abstain verb", `s'abstien(?:t|nent)|s'est abstenue?|se sont abstenue?s`, "Mme Doe s'abstient de voter.",
		"form that communes of France print"},
	{"nay verb", `(?:a|ont) vote contre|vote(?:nt)? contre|s'oppose(?:nt)?|` +
		`(?:enregistre|inscrit|exprime|manifeste)(?:nt)? sa dissidence`, "M. Doe vote contre.",
		"form that communes of France print"},
	{"aye verb", `(?:a|ont) vote pour|vote(?:nt)? pour`, "M. Doe vote pour.", "form that communes of France print"},
	{"no verb", `ne (?:participe|prend|prennent)(?:nt)? pas (?:part )?au vote|` +
		`n'(?:a|ont) pas (?:participe|pris part) au vote`, "Mme Doe ne prend pas part au vote.",
		"form that communes of France print"},
	{"attending", `present|presents|presente|presentes|present(e)s|presence|presences`,
		"Présents : M. Doe", "form that communes of France print"},
	{"missing", `absent|absents|absente|absentes|absence|absences|pouvoir|pouvoirs|procuration|procurations|` +
		`represente|representee|representes|representees`, "Absents : M. Doe",
		"form that communes of France print"},
	{"excusing", `excuse|excuses|excusee|excusees`, "Excusés : M. Doe", "form that communes of France print"},
	{"guests", `egalement|aussi|invites|autre|autres`, "Étaient également présents : M. Doe",
		"form that communes of France print"},
	{"of body", `membres|conseillers|conseilleres|elus`, "Conseillers présents : M. Doe",
		"form that communes of France print"},
	{"presiding", `presidence`, "Présidence : M. Doe", "form that communes of France print"},
	{"joining", `sont|est|etaient|a|les|las|le|la|de|du|cette|seance|ont|ete|et|ayant|donne`,
		"Étaient présents à cette séance : M. Doe", "form that communes of France print"},
}
