package words

// englishLists are the words that code compares with.
var englishLists = []Row{
	{"honorific", `mr|mrs|ms|miss|mx|dr|hon|honorable|honourable|rev|reverend|sir|dame|lord|lady|prof|professor|` +
		`capt|captain|lt|sgt|messrs|esq|shri|shrimati|smt`,
		"Hon. Doe", "no document at hand"},
	{"member office", `councillor|councillors|councilor|councilors|councilmember|councilmembers|councilman|councilmen|` +
		`councilwoman|councilwomen|councilperson|councilpeople|councilpersons|cllr|cllrs|clr|clrs|cr|crs|` +
		`cm|ald|alderman|aldermen|alderwoman|alderwomen|alderperson|alderpersons|aldermember|` +
		`aldermembers|alder|alders|trustee|trustees|tr|trs|commissioner|commissioners|comr|comm|supervisor|` +
		`supervisors|selectman|selectmen|selectwoman|selectwomen|selectperson|selectpersons|selectmember|` +
		`legislator|legislators|freeholder|freeholders|assemblymember|assemblymembers|assemblyman|` +
		`assemblywoman|representative|representatives|delegate|delegates|senator|senators|burgess|member|members|` +
		`boardmember|boardmembers|director|directors|committeeman|committeemen|committeewoman|` +
		`committeewomen|committeeperson|committeemember|juror|jurors|esquire|magistrate|magistrates|` +
		`regent|regents|jurat|jurats|deputy|deputies|burgesses|curator|curators|overseer|overseers|` +
		`assemblypersons|assemblypeople|jps|rep|reps`,
		"Councillor Doe", "no document at hand"},
	{"chief office", `mayor|mayors|chair|chairs|chairman|chairmen|chairwoman|chairperson|vicechair|vicechairman|` +
		`vicemayor|president|presidents|vicepresident|reeve|warden|clerk|secretary|treasurer|moderator|` +
		`speaker|manager|attorney|solicitor|superintendent|administrator|judge|justice|recorder|auditor|` +
		`comptroller|controller|convener|leader|whip|sarpanch|mca|mla|mpp|officer|engineer|planner|chief|counsel|` +
		`coordinator|` +
		`analyst|governor|provost|executive|parliamentarian|cathaoirleach|leascathaoirleach|ceo|cfo|cao|` +
		`coo|cio|architect|pres|liaison|inspector|assessor|librarian|sheriff|marshal|presiding|alternate|` +
		`alternates|associate|associates|officio`,
		"Mayor Doe", "no document at hand"},
	{"office modifier", `vice|co|deputy|shire|pro|tem|tern|tempore|protem|acting|interim|presiding|ex|officio|former|` +
		`elect|large|at|council|board|city|town|county|village|township|commission|committee|school|` +
		`district|ward|precinct|pct|seat|place|position|first|second|third|fourth|majority|minority|` +
		`ranking|student|associate|assistant|general|municipal|parish|executive|financial|non|voting|` +
		`select|division|area|zone|st|nd|rd|th|economic|development|community|works|human|resources|` +
		`technology|information|operations|engineering|emergency|utilities|public|depute`,
		"Vice Mayor Doe", "no document at hand"},
	{"office link", `of|the|and|for|&`,
		"Chair of the Board", "no document at hand"},
	{"surname office", `reeve|warden|burgess|alder|judge|justice|marshal|provost|speaker|leader|clerk|chief|major|` +
		`sheriff`,
		"Trustee Reeve", "no document at hand"},
	{"name suffix", `jr|sr|ii|iii|iv`,
		"Doe, Jr.", "no document at hand"},
	{"surname particle", `de|del|della|der|den|di|du|da|dos|das|la|le|las|los|van|von|vander|st|san|santa|santos|` +
		`ter|ten|el|al|bin|ben|ibn|af|av|zu|y|mac|mc|ui|ni|nic|o|d|l`,
		"Van Doe", "no document at hand"},
	{"title and given name", `don`,
		"Don Doe – Chair", "Taylorsville UT, Planning Commission, 2023-06-13"},
	{"nobody", `none|no one|noone|nobody|nil|n/a|na|zero|0|none recorded|none noted|none present|none absent|` +
		`none excused|not applicable|vacant|vacancy|no members|no member|nessuno|null`,
		"Nays: None", "no document at hand"},
	{"everyone", `all|unanimous|unanimously|everyone|everybody|all present|all members|all in favor|all in favour|` +
		`all voting|all ayes|all aye|all yes|all yea|all yeas|unanimous vote|all members present|` +
		`all those present|those present`,
		"Ayes: All", "no document at hand"},
	{"short month", `jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec`,
		"Jan. 5, 2026", "no document at hand"},
	{"weekday", `monday|tuesday|wednesday|thursday|friday|saturday|sunday`,
		"Monday, January 5", "no document at hand"},
	{"short weekday", `mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun`,
		"Mon., January 5", "no document at hand"},
	{"no name", `any|motion|motions|vote|votes|voting|voted|carried|carries|agenda|agendas|item|items|resolution|` +
		`resolutions|ordinance|ordinances|minutes|approved|approve|approval|adopted|adopt|meeting|` +
		`meetings|session|sessions|consent|hearing|hearings|report|reports|reported|amendment|amended|` +
		`unanimous|unanimously|aye|ayes|nay|nays|noes|yea|yeas|yes|agreed|lost|abstain|abstained|` +
		`abstains|abstention|abstentions|abstaining|absent|absence|absentee|present|excused|recused|` +
		`recuse|quorum|roll|call|called|adjourn|adjourned|adjournment|resolved|whereas|seconded|moved|` +
		`second|mover|seconder|passed|failed|defeated|denied|tabled|opposed|favor|favour|against|` +
		`disqualified|conflict|remote|section|chapter|department|departments|committee|committees|` +
		`commission|corporation|inc|llc|ltd|llp|company|association|foundation|university|college|` +
		`district|districts|project|contract|agreement|budget|application|applications|permit|permits|` +
		`ave|blvd|the|a|an|to|in|for|by|with|that|this|these|those|was|were|is|are|be|been|there|here|it|` +
		`its|his|her|their|our|we|he|she|they|who|which|what|when|where|upon|from|into|at|on|as|or|and|` +
		`but|nor|of|all|none|nil|no|nobody|not|both|other|others|everyone|everybody|anyone|public|` +
		`comment|comments|staff|guests|guest|attendees|attendance|attending|attended|apology|apologies|` +
		`regrets|officials|roster|business|new|old|regular|special|discussion|presentation|presentations|` +
		`communications|correspondence|announcements|pledge|allegiance|invocation|draft|proposed|subject|` +
		`members|member|commissioners|councilmembers|councilors|councillors|trustees|directors|` +
		`supervisors|aldermen|council|councils|board|boards|city|county|township|municipality|borough|` +
		`result|results|number|numbers|am|pm|total|also|following|below|above|office|offices|time|via|` +
		`zoom|telephone|teleconference|arrived|left|late|early|joined|departed|respectively|respectfully|` +
		`submitted|attest|clerk's|continued|continue|page's|action|actions|item's|person|persons|people|` +
		`responsible|withdrawn|referred|postponed|deferred|received|filed|ordered|declared|enacted|` +
		`introduced|reading|readings|ratified|confirmed|accepted|rejected|granted|waived|suspended|` +
		`electoral|area|region|voice`,
		"The motion carried", "no document at hand"},
	{"no name alone", `page|new|old|street|road|lane|park|drive|court|place|item|fee|fees|plan|plans|zoning|planning|` +
		`water|fire|police|library|finance|works|safety|health|election|elections|appointment|` +
		`appointments|closed|open|executive|work|introduction|update|updates|review|request|requests|` +
		`state|states|north|south|east|west|summer|winter|spring|fall|note|notes|part|schedule|exhibit|` +
		`attachment|question|questions|answer|none|first|third|fourth|last|next|main|tie|tied|split|` +
		`majority|minority|treasurer's|consensus|hand|hands|show|ballot`,
		"New Business", "no document at hand"},
	{"initials", `lt`,
		"LT Doe", "no document at hand"},
	{"all of them", `all`,
		"All five members", "no document at hand"},
	{"who are all", `present|attending|in|attendance`,
		"All members present", "no document at hand"},
	{"surname behind", `mayor|chair|chairman|chairwoman|chairperson|president|judge`,
		"Mayor Reeve", "no document at hand"},
	{"article of office", `the|an`,
		"the Mayor", "no document at hand"},
	{"behind office", `pro|tem|tempore|protem|elect|at|large|general|ex|officio`,
		"Mayor Pro Tem", "no document at hand"},
	{"short office", `chair|chief|clerk|judge|mayor|reeve`,
		"with Mayor Doe in the Chair. Members", "no document at hand"},
	{"members only", `members|member`,
		"PRESENT: Members: Doe, Roe", "no document at hand"},
	{"joins names", `and`,
		"Doe, Roe and", "no document at hand"},
	{"short given name", `wm|geo|chas|thos|jos|edw|robt|jno`,
		"Wm. Doe", "no document at hand"},
	{"men", `men`,
		"Alder-men Doe and Roe", "no document at hand"},
	{"people", `people`,
		"Council people Doe and Roe", "no document at hand"},
	{"that motion", `the motion,|this motion,|that motion,|said motion`,
		"The motion, made by Doe, seconded by Roe, carried by the following vote", "no document at hand"},
	{"no run-in title", `present|members present|also present|attending|in attendance|attendance|absent|excused|whereas|` +
		`resolved|be it resolved|ordered|voted|motion|second|note|notes|staff|staff present|others present|guests|` +
		`roll call|call to order|date|time|place|location|minutes of|adopted|approved|attest`,
		"PRESENT: Doe, Roe", "no document at hand"},
	{"no plural", `mrs|ms`,
		"Mrs. Doe", "no document at hand"},
	{"office filler", `the|city|town|village|county|council|board|commission|committee|township|of|acting|m|mr|madam`,
		"the City Mayor", "no document at hand"},
	{"deputy of office", `vice|deputy`,
		"Deputy Mayor", "no document at hand"},
	{"acting for", `pro|tem|tempore|protem`,
		"Mayor Pro Tem", "no document at hand"},
	{"office with deputy", `mayor|chair(?:man|woman|person)?|president[ea]?|reeve|warden`,
		"Vice Mayor", "no document at hand"},
	{"single office", `judge|moderator|speaker|secretary|treasurer|clerk`,
		"the Clerk", "no document at hand"},
	{"minutes of", `minutes? of`,
		"MINUTE OF MEETING OF THE COUNCIL", "no document at hand"},
	{"corporation of", `(?:municipal )?corporation of`,
		"The Corporation of the Town of Doe", "no document at hand"},
	{"body name", `council|board|committee|commission|authority|trustees|supervisors|directors|selectmen|agency|` +
		`selectboard|aldermen|legislature|court|assembly|jury|senate|panel`,
		"City Council", "no document at hand"},
	{"before body name", `regular|special|adjourned|ordinary|extraordinary|draft|approved|unapproved|emergency|joint|` +
		`monthly|meeting|minutes|of|the|a|an|at|action|actions|summary|official|proceedings|final|` +
		`organizational|reorganization|annual|rescheduled|virtual|study|session|workshop|agenda|` +
		`telephonic|hybrid|full|honorable|minute|for|publication|record`,
		"Regular City Council", "no document at hand"},
	{"kind in body name", `regular|adjourned|emergency|rescheduled|special`,
		"Port of Doe Regular Commission Meeting", "no document at hand"},
	{"part of a body", `committee`,
		"Parks Committee", "no document at hand"},
	{"ends body name", `regular|special|meeting|meetings|minutes|session|workshop|summary|held|was|were|met|convened|on|` +
		`as|annual|action|final|called|to|hearing|voting|agenda|attendance|draft|work|study|` +
		`organizational|emergency|joint|report|reports|recommendations|proceedings|minute|notes|journal|closed|` +
		`open|rescheduled|quarterly`,
		"City Council Minutes", "no document at hand"},
	{"before any body", `meeting|meetings|minutes|session|was|were|held|met|called`,
		"Meeting Room Board", "no document at hand"},
	{"shortened place", `st|mt|ft`,
		"St. Doe", "no document at hand"},
	{"joins body name", `of|and|the|for|&|on`,
		"Board of Trustees", "no document at hand"},
	{"following", `following`,
		"the following members", "no document at hand"},
	{"part of body name", `of`,
		"of the Town of Doe", "no document at hand"},
	{"annual", `annual`,
		"Annual Town Meeting", "no document at hand"},
	{"gathering", `meeting`,
		"Town Meeting", "no document at hand"},
	{"before month", `day|of`,
		"9th day of January", "no document at hand"},
	{"before year", `a\.d|ad|in|the|year|of|our|lord`,
		"12th day of March, A.D. 2026", "no document at hand"},
	{"day first or not", `cllrs?|councillors?|apologies`,
		"Cllr Doe, 5/3/2026", "no document at hand"},
	{"joins days", `and|&|-`,
		"January 5 and 6, 2026", "no document at hand"},
	{"date of another", `approved|approval|approve|approving|adopted|adoption|published|publication|posted|revised|` +
		`amended|adjournment|next|dated|effective|until|expires|expire|expiring|expiration|deadline|due|` +
		`upcoming|previous|preceding|last|subject|proclamation|received|corrected|amend|printed|` +
		`submitted|scheduled|tentative|future|following|filed|signed|recorded|copyright|ended|ending|` +
		`established|founded|incorporated|issued|mailed`,
		"Approved: January 5, 2026", "no document at hand"},
	{"date of meeting", `meeting|meetings|held|session|convened|met|minutes|date|assembly|hearing|workshop|order|final|` +
		`actions|called`,
		"Meeting of January 5, 2026", "no document at hand"},
	{"approved on", `approved|adopted|approving|accepted|confirmed|signed`,
		"January 5, 2026, approved", "no document at hand"},
	{"approval behind date", `approval|adoption|confirmation`,
		"Minutes of January 5, 2026: approval", "no document at hand"},
	{"leads to date", `on|of|the|at|for|by|and|this|dated|held`,
		"HELD ON", "no document at hand"},
	{"hour of day", `\d ?[ap]\.? ?m|o'clock|noon|\d{4} (?:hours|hrs)`,
		"January 5, 2026 at 7:00 p.m.", "no document at hand"},
	{"first business", `approval of (?:the )?(?:agenda|minutes|previous)|approve the (?:agenda|minutes)|` +
		`adoption of (?:the )?(?:agenda|minutes|previous)|confirmation of (?:the )?minutes|` +
		`minutes of (?:the )?(?:last|previous|prior)|reading of (?:the )?minutes|motion (?:by|was|made)|` +
		`seconded by|second by|moved by`,
		"Approval of Minutes", "no document at hand"},
	{"from that day", `from|to|until|by|between|since|through|thru|beginning|before|after`,
		"from January 5, 2026", "no document at hand"},
	{"adjourned", `adjourned|adjourn|continued|recessed|recess|moved|rescheduled|changed`,
		"Adjourned to January 5, 2026", "no document at hand"},
	{"at a later day", `will|shall|continued|postponed|deferred`,
		"will be held on January 5, 2026", "no document at hand"},
	{"minutes", `minutes`,
		"Minutes", "no document at hand"},
	{"approving minutes", `motion|moved|moves|accept|approve|approving|adopt|that|resolved`,
		"moved to approve the minutes", "no document at hand"},
	{"is on", `is|scheduled`,
		"the next meeting is on", "no document at hand"},
	{"next one", `next`,
		"the next meeting", "no document at hand"},
	{"except", `except|excluding|exception of|minus |other than|removing |pulling `,
		"all items except C", "no document at hand"},
	{"takes off", `pulled|removed|pull |remove |taken off|withdrawn from|withdrawn by|separately|` +
		`separate vote|separate consideration|separate discussion`,
		"Item C was pulled", "no document at hand"},
	{"stays on", `to the consent|on the consent|may be |returned| no on |not removed|not pulled|` +
		`not be removed`,
		"items on the consent agenda", "no document at hand"},
	{"stub", `moved to|removed from|pulled from|was pulled|was removed|taken from the consent|` +
		`was moved|moved from|pulled for|removed for`,
		"Item C moved to Recommended Actions", "no document at hand"},
	{"stub of", `item|consent`,
		"Item C moved to Recommended Actions", "no document at hand"},
	{"starts stub", `pulled|removed|moved`,
		"Pulled: item C", "no document at hand"},
	{"number mark", `nos?\.`,
		"Item No. 5", "no document at hand"},
	{"between items", `and|item|items|no|nos|number|numbers|the|for|of|agenda|consent`,
		"items 3, 4 and 5", "no document at hand"},
	{"item range", `through|to|thru`,
		"items A through F", "no document at hand"},
	{"before number", `resolution|resolutions|ordinance|law|bill|order|contract|file|case|no|number|and|of|` +
		`through|to`,
		"Town Board Resolution", "no document at hand"},
	{"numbered paper", `resolution|ordinance|order`,
		"TB Resolution 2026-12", "no document at hand"},
	{"opens heading", `call to order|called to order|roll call|opening|convene|pledge|invocation|welcome|` +
		`attendance|quorum`,
		"Call to Order", "no document at hand"},
	{"motion label", `motion:|motion as|motion to|discussion:|discussion on the|vote on|call the question|` +
		`call the|second:|substitute motion|primary motion`,
		"Motion: to approve", "no document at hand"},
	{"motion colon", `motion:`,
		"Motion: to approve", "no document at hand"},
	{"bare motion label", `motion|call the`,
		"Motion", "no document at hand"},
	{"signature", `respectfully submitted|attest:|minutes prepared by|minutes approved|submitted by:`,
		"Respectfully submitted,", "no document at hand"},
	{"was taken off", ` was (?:moved to|removed from|pulled from|taken off) `,
		"Item C was taken off the list", "no document at hand"},
	{"adjourn", `adjourn|djourn`,
		"Adjournment", "no document at hand"},
	{"no unanimity", `not unanimous`,
		"The vote was not unanimous", "no document at hand"},
	{"near tally", `motion|moved|no\.`,
		"Motion 4-1", "no document at hand"},
	{"near tally in words", `vote|carried|passed`,
		"carried four to one", "no document at hand"},
	{"moved", `moved`,
		"moved 5-0", "no document at hand"},
	{"consent behind", ` consent`,
		"items on the unanimous consent agenda", "no document at hand"},
	{"in favor of the", `favou?r of the `,
		"five in favor of the motion", "no document at hand"},
	{"weak side", `for|yes|no|agreed|approve`,
		"5 for", "no document at hand"},
	{"zero letter", `o|q`,
		"contre : o", "no document at hand"},
	{"behind bracket", `with|and|next:`,
		"[4 TO 1] WITH 1 ABSTENTION", "no document at hand"},
	{"web address", `www\.|https?://`,
		"www.example.com", "no document at hand"},
	{"next label", `next:`,
		"Next: 2/19/2025", "no document at hand"},
	{"frequent", `the|of|and|was|were|to|by|that|with`,
		"the motion of the board", "no document at hand"},
	{"seconded", `seconded`,
		"seconded by Doe", "no document at hand"},
	{"export item", ` agenda item: `,
		" AGENDA ITEM: Budget", "no document at hand"},
	{"export action", ` action: `,
		" ACTION: approved", "no document at hand"},
	{"amendment label", `amendment`,
		"AMENDMENT: Doe, Roe", "no document at hand"},
	{"consent word", `consent `,
		"the consent calendar", "no document at hand"},
	{"as consent item", `as a consent `,
		"approved as a consent item", "no document at hand"},
	{"withdraws", `withdr`,
		"Doe withdrew the motion", "no document at hand"},
	{"proposes", `propos`,
		"Proposer: Cllr Doe", "no document at hand"},
	{"says motion", `mo`,
		"motion", "no document at hand"},
	{"vote on label", `vote on`,
		"VOTE ON THE MOTION TO AMEND", "no document at hand"},
	{"as amended", `as amend|as amdend`,
		"Motion as amended", "no document at hand"},
	{"amend", `amend`,
		"Motion to amend", "no document at hand"},
	{"main motion", `main|primary`,
		"Main motion", "no document at hand"},
	{"procedural", `table|postpone|question|divide|substitute|reconsider`,
		"Motion to table", "no document at hand"},
	{"about label", `re: `,
		"Re: the budget", "no document at hand"},
	{"seconded or proposed", `seconded|proposed`,
		"RESOLVED that it be seconded", "no document at hand"},
	{"withdrew", ` withdrew`,
		"Doe withdrew it", "no document at hand"},
	{"the vote", `the vote`,
		"The Vote", "no document at hand"},
	{"adjournment heading", `adjournment|adjourn|meeting adjourned`,
		"Adjournment", "no document at hand"},
	{"misprinted unanimous", `unanimously`,
		"[UNANIMOUSLY]", "no document at hand"},
	{"begins abstention", `abs`,
		"1 ABSTENTION", "no document at hand"},
	{"abstention of table", `abstentions?|abstaining|abstained`,
		"1 ABSTENTION", "no document at hand"},
	{"to table", `lie on the table`,
		"that the report be left to lie on the table", "no document at hand"},
	{"before mover", `by|from|of`,
		"MOTION BY DOE", "no document at hand"},
	{"verb ending", `ed`,
		"a verb such as mov-ed", "no document at hand"},
	{"no verb ending", `eed|med`,
		"a name such as Reid or Re-eed", "no document at hand"},
	{"adverb ending", `ly`,
		"unanimous-ly", "no document at hand"},
	{"acting ending", `ing`,
		"vot-ing", "no document at hand"},
}
