package words

// irish are the words of labels in Ireland.
var irish = []Row{
	{"attending", `lathair`,
		"I láthair: Doe", "no document at hand"},
	{"missing", `leithsceal|leithscealta|leithsceala`,
		"Leithscéalta: Doe", "no document at hand"},
	{"guests", `bhfreastal`,
		"I bhfreastal: Doe", "no document at hand"},
	{"joining", `i|ar`,
		"I láthair: Doe", "no document at hand"},
	{"aye", `ar son|ta \(for`,
		"Ar son (For): 3 - Doe, Roe", "no document at hand"},
	{"nay", `in aghaidh|i gcoinne|nil \(against`,
		"In aghaidh (Against): 2 - Doe, Roe", "no document at hand"},
	{"side of label", `ar son|in aghaidh|i gcoinne|(?:ag )?stao(?:in|nadh)|as lathair`,
		"For (Ar son): Doe, Roe", "no document at hand"},
	{"absent", `as lathair`,
		"As Láthair: Doe", "no document at hand"},
	{"not voting", `gan votail`,
		"Gan Vótáil: Doe", "no document at hand"},
	{"abstain", `(?:ag )?staonadh|staon \(abstain(?:ed)?`,
		"Ag staonadh: Doe", "no document at hand"},
}

// welsh are the words of labels in Wales.
var welsh = []Row{
	{"member office", `cyng|cynghorydd|cynghorwyr`,
		"Cyng. Doe", "no document at hand"},
	{"chief office", `cadeirydd`,
		"Cyng. Doe (Cadeirydd)", "no document at hand"},
	{"attending", `presennol|bresennol`,
		"Yn bresennol: Doe", "no document at hand"},
	{"missing", `ymddiheuriadau`,
		"Ymddiheuriadau: Doe", "no document at hand"},
	{"guests", `hefyd`,
		"Hefyd yn bresennol: Doe", "no document at hand"},
	{"joining", `yn`,
		"Yn bresennol: Doe", "no document at hand"},
	{"aye", `o blaid`,
		"O blaid: Doe, Roe", "no document at hand"},
	{"nay", `yn erbyn`,
		"Yn erbyn: Doe", "no document at hand"},
	{"abstain", `(?:wedi )?ymatal`,
		"Ymatal: Doe", "no document at hand"},
}
