package person

// The words of offices, of honorifics and of what is no name, by language. They are compared in
// lower case, without accents and full stops; a hyphen separates words.
const (
	// honorifics stand before a name and say nothing about an office.
	honorificsEnglish = "mr mrs ms miss mx dr hon honorable honourable rev reverend sir dame lord lady prof professor " +
		"capt captain lt sgt messrs esq shri shrimati smt"
	honorificsFrench  = "mm mme mmes mlle mlles monsieur madame messieurs mesdames me"
	honorificsSpanish = "senor senora senores senoras senorita sra sres sras srta don dona lic ing"

	// members are offices that stand before a name in rolls and minutes, and split a list without
	// commas ("Cllr Doe Cllr Roe").
	membersEnglish = `councillor councillors councilor councilors councilmember councilmembers councilman councilmen
		councilwoman councilwomen councilperson councilpeople councilpersons cllr cllrs clr clrs cr crs cm ald alderman
		aldermen alderwoman alderwomen alderperson alderpersons aldermember aldermembers alder alders trustee trustees
		commissioner commissioners comr comm supervisor supervisors selectman selectmen selectwoman selectwomen selectperson
		selectpersons selectmember legislator legislators freeholder freeholders assemblymember assemblymembers
		assemblyman assemblywoman representative representatives delegate delegates senator burgess member members
		boardmember boardmembers director directors committeeman committeemen committeewoman committeewomen committeeperson
		committeemember juror jurors esquire magistrate magistrates regent regents jurat jurats deputy deputies burgesses
		curator curators overseer overseers assemblypersons assemblypeople`
	membersFrench = `conseiller conseillers conseillere conseilleres echevin echevins echevine echevines commissaire
		commissaires`
	membersSpanish = `concejal concejales concejala concejalas regidor regidora regidores regidoras vocal vocales sindico
		sindica edil ediles`

	// chiefs are other offices.
	chiefsEnglish = `mayor mayors chair chairs chairman chairmen chairwoman chairperson vicechair vicechairman
		vicemayor president presidents vicepresident reeve warden clerk secretary treasurer moderator speaker manager
		attorney solicitor superintendent administrator judge justice recorder auditor comptroller controller convener
		leader officer engineer planner chief counsel coordinator analyst governor provost executive parliamentarian
		cathaoirleach leascathaoirleach ceo
		cfo cao coo cio architect pres liaison inspector assessor librarian sheriff marshal presiding alternate alternates`
	chiefsFrench = `maire maires mairesse president presidente vicepresident vicepresidente prefet prefete greffier
		greffiere secretaire tresorier tresoriere directeur directrice adjoint adjointe adjoints adjointes
		bourgmestre bourgmestres syndic
		syndique`
	chiefsSpanish = `alcalde alcaldesa presidente presidenta vicepresidente vicepresidenta secretario secretaria
		interventor interventora tesorero tesorera teniente`

	// modifiers belong to an office that they stand next to.
	modifiersEnglish = `vice co deputy shire pro tem tern tempore protem acting interim presiding ex officio former elect
		large
		at council board city town county village township commission committee school district ward
		precinct pct seat place position
		first second third fourth majority minority ranking student associate assistant general municipal parish
		executive financial non voting voting select division area zone st nd rd th economic
		development community works human resources technology information operations engineering emergency utilities`
	modifiersFrench = "municipal municipale municipaux adjoint adjointe suppleant suppleante general generale vice " +
		"arrondissement ville paroisse canton communal communale communaux"
	modifiersSpanish = "propietario propietaria propietarios propietarias municipal municipales primer primera segundo " +
		"segunda general interino interina accidental"

	// links join the words of an office, but never begin or end one.
	links = "of the and de la le du des del a y et l d for"

	// surnames are offices that are last names, too.
	surnames = "reeve warden burgess alder judge justice marshal provost speaker leader clerk chief major sheriff"

	suffixes = "jr sr ii iii iv esq phd md ra aia cpa rla aicp"

	particles = `de del della der den di du da dos das la le las los van von vander st san santa santos ter ten el al
		bin ben ibn af av zu y mac mc ui ni nic o d l`

	nobody = `none|no one|noone|nobody|nil|n/a|na|zero|0|none recorded|none noted|none present|none absent|none excused|
		not applicable|no members|no member|aucun|aucune|aucun membre|personne|neant|nul|ninguno|ninguna|nadie|nessuno|null`

	everyone = `all|unanimous|unanimously|everyone|everybody|all present|all members|all in favor|all in favour|
		all voting|all ayes|all aye|all yes|all yea|all yeas|unanimous vote|all members present|all those present|
		those present|tous|toutes|tous les membres|tous les membres presents|unanimite|a l unanimite|unanimement|todos|
		todas|todos los presentes|por unanimidad|unanimidad|unanime`

	months = `january february march april may june july august september october november december jan feb mar apr jun jul
		aug sept sep oct nov dec janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre enero
		febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`
	weekdays = `monday tuesday wednesday thursday friday saturday sunday lundi mercredi jeudi vendredi samedi
		dimanche lunes martes miercoles jueves viernes sabado`

	// never are words that no name has, wherever they stand in it.
	neverEnglish = `motion motions vote votes voted voting carried carries agenda agendas item items resolution
		resolutions ordinance ordinances minutes approved approve approval adopted adopt meeting meetings session sessions
		consent hearing hearings report reports reported amendment amended unanimous unanimously aye ayes nay nays noes
		yea yeas yes agreed lost
		abstain abstained abstains abstention abstentions abstaining absent absence absentee present excused
		recused recuse quorum roll call called adjourn adjourned adjournment resolved whereas seconded moved second mover
		seconder passed failed defeated denied tabled carried opposed favor favour against disqualified conflict remote
		section chapter department departments committee committees commission corporation inc llc ltd llp company
		association foundation university college district districts project contract agreement budget application
		applications permit permits ave blvd the a an to in for by with that this these those was were is are be been
		there here it its his her their our we he she they who which what when where upon from into at on as or and but
		nor of all none nil no nobody not both other others everyone everybody anyone unanimous public comment comments
		staff guests guest attendees attendance attending attended apology apologies regrets officials roster
		business new old regular special
		discussion presentation presentations communications correspondence announcements pledge allegiance invocation
		draft approved proposed subject members member commissioners councilmembers councilors councillors trustees
		directors supervisors aldermen council councils board boards city county township municipality borough result
		results number numbers am pm total also following below above office offices time via zoom telephone
		teleconference arrived left late early joined departed respectively respectfully submitted attest clerk's
		continued continue page's action actions item's person persons people responsible withdrawn referred postponed
		deferred received filed ordered declared enacted introduced reading readings ratified confirmed accepted rejected
		granted waived suspended electoral area region voice`
	neverFrench = `proposition vote votes adopte adoptee adoptees adoptes rejetee rejete unanimite resolution seance
		reunion proces verbal ordre jour est sont absents absent absente presents presente presentes abstention
		abstentions et un que il resolu considerant attendu
		groupe groupes pour contre appuye appuyee propose proposee secondee par une aux municipal municipale
		municipalite ville comite commission assemblee quorum absences`
	neverSpanish = `mocion voto votos aprobada aprobado aprobar aprobacion rechazada rechazado unanimidad sesion acta
		acuerdo ausente ausentes presente presentes abstencion abstenciones favor contra propuesta secundada secundado por
		los las una que
		grupo grupos partido psoe pp vox iu asistentes asistencia orden dia ayuntamiento cabildo comision pleno quorum`

	// alone are words that are no name by themselves, but can be one next to an office or another
	// word ("Director Page", "Summer Vance").
	alone = `page new old street road lane park drive court place item fee fees plan plans zoning planning street water
		fire police library finance works safety health election elections appointment appointments closed open executive
		work introduction update updates review request requests state states north south east west summer winter spring
		fall note notes part schedule exhibit attachment question questions answer none first third fourth last next main
		tie tied split majority minority treasurer's consensus hand hands show ballot des les mardi domingo`
)
