package words

// irish are the words of labels in Ireland.
var irish = []Row{
	{"attending", `lathair`, "I láthair: Doe", "form of councils of Ireland"},
	{"missing", `leithsceal|leithscealta|leithsceala`, "Leithscéalta: Doe", "form of councils of Ireland"},
	{"guests", `bhfreastal`, "I bhfreastal: Doe", "form of councils of Ireland"},
	{"joining", `i|ar`, "I láthair: Doe", "form of councils of Ireland"},
	{"aye", `ar son`, "Ar son (For): 3 - Doe, Roe", "form of councils of Ireland"},
	{"nay", `in aghaidh|i gcoinne`, "In aghaidh (Against): 2 - Doe, Roe", "form of councils of Ireland"},
	{"abstain", `(?:ag )?staonadh`, "Ag staonadh: Doe", "form of councils of Ireland"},
}

// welsh are the words of labels in Wales.
var welsh = []Row{
	{"attending", `presennol|bresennol`, "Yn bresennol: Doe", "form of councils of Wales"},
	{"missing", `ymddiheuriadau`, "Ymddiheuriadau: Doe", "form of councils of Wales"},
	{"guests", `hefyd`, "Hefyd yn bresennol: Doe", "form of councils of Wales"},
	{"joining", `yn`, "Yn bresennol: Doe", "form of councils of Wales"},
	{"aye", `o blaid`, "O blaid: Doe, Roe", "form of councils of Wales"},
	{"nay", `yn erbyn`, "Yn erbyn: Doe", "form of councils of Wales"},
	{"abstain", `(?:wedi )?ymatal`, "Ymatal: Doe", "form of councils of Wales"},
}
