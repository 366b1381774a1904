package words

// irish are the words of labels of attendance in Ireland.
var irish = []Row{
	{"attending", `lathair`, "I láthair: Doe", "form of councils of Ireland"},
	{"missing", `leithsceal|leithscealta|leithsceala`, "Leithscéalta: Doe", "form of councils of Ireland"},
	{"guests", `bhfreastal`, "I bhfreastal: Doe", "form of councils of Ireland"},
	{"joining", `i|ar`, "I láthair: Doe", "form of councils of Ireland"},
}

// welsh are the words of labels of attendance in Wales.
var welsh = []Row{
	{"attending", `presennol|bresennol`, "Yn bresennol: Doe", "form of councils of Wales"},
	{"missing", `ymddiheuriadau`, "Ymddiheuriadau: Doe", "form of councils of Wales"},
	{"guests", `hefyd`, "Hefyd yn bresennol: Doe", "form of councils of Wales"},
	{"joining", `yn`, "Yn bresennol: Doe", "form of councils of Wales"},
}
