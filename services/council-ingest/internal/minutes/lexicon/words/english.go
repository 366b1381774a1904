package words

// english are the words of every document.
var english = []Row{
	{"carried", `carried|carries|passed|passes|sanctioned|did pass|did carry|adopted|approved|accepted|enacted|ordained|` +
		`prevailed|prevails|ratified|confirmed|agreed|concurred|sustained|upheld|granted|resolved|` +
		`so voted|so ordered|upon (?:an?|the) affirmative vote|moved,? (?:unanimously|` +
		`\d+ ?- ?\d+)`,
		"The motion carried 4-1 with Commissioner Doe dissenting.", "Clayton MO, Board of Aldermen, 2019-05-28"},
	{"failed", `failed|fails|fell|(?:was|were) turned down|(?:was|were) voted down|defeated|lost|rejected|denied|` +
		`negatived|not (?:carried|passed|adopted|approved|` +
		`agreed to|agreed)|` +
		`(?:did|does) not (?:carry|pass|prevail)`,
		"The motion failed due to a tied vote", "Chico CA, City Council, 2020-09-15"},
	{"tabled", `tabled|laid on the table`, "MOTION TABLED", "Crete IL, Board of Trustees, 2022-03-09"},
	{"continued", `continued|postponed|deferred|held over|laid over|carried over`, "DECISION: ADDITION CONTINUED.",
		"Charlotte NC, Historic District Commission, 2018-06-13"},
	{"referred", `referred|remanded`,
		"REFERRED TO COMMISSIONER OF PUBLIC WORKS", "Portland OR, City Council, 2011-01-12"},
	{"died", `died|dies|lapsed|lapses|withdrawn|withdrew|withdraws|rescinded the motion|` +
		`(?:lack|want|absence) of (?:a |any )?(?:second(?:er)?|support)\b|no second(?:er)?\b|not seconded|` +
		`did not receive a second|ruled out of order`,
		"The motion died for lack of a second.", "Nashua NH, Board of Aldermen, 2018-02-13"},
	{"unanimous", `unanimous(?:ly)?|all ?[:-] ?ayes?|una(?:im|nam|nin|mi)ous(?:ly)?|` +
		`unanimious(?:ly)?|unanimouly|unanimosly|all ` +
		`(?:those |members |the members )?(?:present |presents |were |was |voted |` +
		`voting |said |being )*` +
		`(?:in favou?r|"?(?:aye|yes|yea)s?|for)|all (?:members )?(?:present )?(?:agreed|in agreement|approved?)|all ayes|` +
		`all (?:voted )?affirmative|` +
		`all (?:yeas|yes|yea)|(?:by|of) all|all (?:members )?(?:present )?answered in the affirmative|none opposed|unan|` +
		`no opposition|no objections?|no nays|no one opposed|without (?:dissent|objection|opposition|` +
		`(?:an? )?negative votes?)|(?:no|without (?:an?|any)) dissenting (?:votes?|voices?)|nem\.? ?con`,
		"All were in favor. Motion passes.", "Crete IL, Board of Trustees, 2022-03-09"},
	{"voice", `voice vote|by acclamation|show of hands|general consent|by consensus|without objection`,
		"approved unanimously by voice vote on a motion by Mr. Doe", "Columbia MO, City Council, 2015-10-19"},
	{"subject", `motions?|articles?|amendments?|amended motion|substitute|proposal|question|vote|ayes|nays|main motion|` +
		`ballot`,
		"The Mayor declared the proposal as carried.", "Limerick IE, City and County Council, 2024-02-26"},
	{"named", `resolutions?|ordinances?|bills?|by-?laws?|minutes|agenda|calendar|items?|reports?|applications?|` +
		`variances?|waivers?|plats?|requests?|it|recommendations?|nominations?|matters?|contracts?|measures?|` +
		`petitions?|plans?|policy|council|board|` +
		`commission|committee|trustees`, "B313-15 was given third reading ... Bill declared defeated.",
		"Columbia MO, City Council, 2015-11-02"},
	{"lead", `action(?: taken)?|votes?|voted|decision|results?|final resolution|resolution|outcome|disposition|motion|` +
		`board vote|ballot (?:vote|results?)|` +
		`council action|recorded vote|final vote|roll call(?: vote)?|rc|vote result|motion result`,
		"Final Resolution: Motion Carried", "Sacramento County CA, Board of Education, 2024-08-13"},
	{"moves", `moved|moves|motioned|making (?:a|the) motion|made (?:a |the |another )?(?:[a-z]+ ){0,3}motion|makes ` +
		`(?:a|the) motion|` +
		`offered (?:a|the) (?:[a-z]+ )?motion|` +
		`presented (?:a|the) motion|proposed|introduced (?:a|the) motion|put forward a motion|so moved|` +
		`introduced (?:the |a |this )?(?:council )?(?:bill|ordinance|resolution)|(?:introduced|offered|presented|` +
		`submitted) the following (?:[a-z]+ ){0,3}(?:resolution|ordinance|motion)|` +
		`offered (?:a|the) (?:following )?(?:resolution|ordinance)`,
		"Councilmember Doe MOVED that the City Council approve", "Riverton UT, City Council, 2025-12-16"},
	{"mover", `moved(?: and approved)?,? by|` +
		`moved as (?:correct|read|printed|a true record),? by|motioned by|motion (?:was )?(?:duly )?(?:made |offered |` +
		`presented |` +
		`proposed )?by|motion of|` +
		`proposed (?:as [a-z ]{3,30} )?by|proposed|proposer|mover|movant|moved|offered by|introduced by|made by|` +
		`proposal of|motion from|` +
		`initiated by|was made by|maker|motion made|proposition of|in the name of|resolved by|motion`,
		"Moved by Councillor Doe / Seconded by Councillor Roe", "Guelph ON, City Council, 2014-02-10"},
	{"seconds", `made (?:a|the) second|seconded|seconds|second|2nd|2nded|supported`, "Director Doe seconded the motion.",
		"Fair Oaks CA, Water District, 2019-06-03"},
	{"seconder", `seconded (?:by|from)|2nd(?:ed)?(?: by)?|second(?:ed)? (?:was )?(?:made |given |offered |` +
		`provided )?(?:by|` +
		`from)|supported by|seconder|` +
		`seconded|second|support by`,
		"Motion by Gary Doe, second by Dick Roe to approve", "North Star MN, Town Board, 2020-03-16"},
	{"aye", `ayes?|yeas?|yays?|yes(?:es)?|yes votes?|(?:(?:councill?ors|members|crs|those) )?(?:in favou?r(?: of)?|for)(?: (?:the )?(?:[a-z]+ )?` +
		`(?:motion|amendment|proposal|recommendation|resolution))?|votes? (?:in favou?r|for)|affirmative|` +
		`(?:the following |those )?(?:(?:board|committee|commission|council|panel) )?(?:members? |trustees |` +
		`council ?members |councill?ors |commissioners |supervisors |directors |officers )?(?:present )?` +
		`(?:voting|voted|who voted) "?(?:aye|yes|yea|in favou?r|for|in the affirmative)(?: thereof| of the same|` +
		` o[fn] the motion|` +
		` the motion)?|all (?:members )?(?:present )?(?:voted|voting) (?:aye|yes|in favou?r)|approve|agreed|all ayes`,
		"VOTING IN FAVOUR: Mayor Doe, Councillors Roe and Poe (3)", "Guelph ON, City Council, 2014-02-10"},
	{"nay", `nays?|noes|disapproved?|no(?:'s)? votes?|no|(?:(?:councill?ors|members|crs|those) )?against(?: (?:the )?(?:[a-z]+ )?(?:motion|amendment|proposal|` +
		`recommendation|resolution))?|not in favou?r|contrary(?:[- ]minded)?|opposed?|in opposition|dissenting|dissent|negative|` +
		`votes? against|` +
		`(?:the following |those )?(?:(?:board|committee|commission|council|panel) )?(?:members? |trustees |` +
		`council ?members |councill?ors |commissioners |supervisors |directors |officers )?(?:present )?` +
		`(?:voting|voted|who voted) "?(?:nay|no|against|in opposition|in the negative)(?: thereof| the same| same|` +
		` on the motion| the motion)?`,
		"NAYS:    DOE, ROE, POE", "Charlotte NC, Historic District Commission, 2018-06-13"},
	{"nay", `nees|nocs|noos|nayes|nos`, "Nees: 5", "Amityville NY, Board of Education, 1928; a scan's misreading of Noes"},
	{"abstain", `(?:(?:the following (?:\w+ )?(?:members?|officers?)|councill?ors|members|crs) )?abstain(?:ed|ing|s|er|ers)?|abstentions?|absentions?|` +
		`absensions?|` +
		`absetntions?|those abstaining`,
		"Abstain: Doe, Roe", "Sacramento County CA, Board of Education, 2024-08-13"},
	{"absent", `(?:the following (?:\w+ )?(?:members?|officers?) (?:were |was ))?absent(?:ees?)?` +
		`(?: (?:at the time of|at|for|during|from) (?:the )?(?:vote|roll call))?|excused|exc|` +
		`not present(?: (?:at|for|during) (?:the )?(?:vote|roll call))?|absent/excused|excused absence|away|left early|` +
		`left (?:the )?meeting|off (?:the )?dais|(?:out of|left) (?:the )?(?:room|chambers?)|` +
		`away from (?:the )?(?:dais|table)|(?:on )?leave of absence`,
		"ABSENT: Doe", "Chico CA, City Council, 2020-11-17"},
	{"recused", `(?:the following (?:\w+ )?(?:members?|officers?) (?:were |was )?)?recus(?:ed?|als?|ing)|` +
		`declared (?:a |an )?(?:conflict|interest)|disq(?:ualified|ualifications?)?\.?|` +
		`conflicts?(?: of interest)?`, "DISQ: Doe",
		"Chico CA, City Council, 2020-08-04"},
	{"not voting", `(?:present,? (?:but )?)?not voting|did not vote|nv|non-?voting`,
		"Doe present but not voting.", "Lunenburg MA, Town of Lunenburg Zoning Board of Appeals, 2018-04-05"},
	{"passing", `pass|passing`,
		"PASS:    1 – Doe", "no document at hand"},
	{"speaks", `(?:motion|amendment|vote)\b[^.;]{0,60}\b(?:carried|carries|passed|passes|failed|adopted|approved|denied|` +
		`defeated|unanimous|tied)|` +
		`yeas|ayes|noes|nays|(?:council|board|commission|committee|trustees) (?:unanimously|voted)|voted (?:unanimously|` +
		`\d+)|unanimous vote|` +
		`unanimously (?:approved|adopted|agreed|resolved|carried|passed)|votes? to (?:\d+|one|two|three|four|five|six|` +
		`seven|eight|nine)|vot(?:ed|ing) (?:aye|yea|nay)`,
		"motion was seconded by Doe and passed 6-0 in favor.",
		"West Jordan UT, West Jordan Planning and Zoning Commission, 2023-03-07"},
	{"present", `present|in attendance|also present|staff present`, "Present: Doe, Roe",
		"Chico CA, City Council, 2020-08-04"},
	{"majority", `by (?:a )?(?:simple )?majority|on (?:a )?division|not unanimous`,
		"carry by a majority vote.", "Riverhead NY, Town Board, 2025-03-04"},
	{"requires", `require[sd]?|needs?|needed|must|would|should|if|whether|could|how`,
		"The motion requires a unanimous vote.", "no document at hand"},
	{"of vote", `vot(?:es?|ed|ing)|carried|carries|pass(?:ed|es)?|carry|failed|approved|adopted|defeated|lost|` +
		`unanimous(?:ly)?|granted|tied?|ties`, "The motion carried 4-1 with Commissioner Doe dissenting.",
		"Clayton MO, Board of Aldermen, 2019-05-28"},
	{"counting", `all|ayes|aye|yeas|yea|yes|nays|nay|noes|no|in|favor|favour|opposed|oppose|abstained|abstain|` +
		`abstentions|` +
		`abstention|recused|recusal|recusals|absent|board|vote|votes|total|for|against|voting|and|with|of|were|was|y|n|` +
		`members|abstaining|excused|a|by|to|one|two|three|four|five|six|seven|eight|nine|ten|zero|the|roll|call`,
		"was passed before this Council came on board", "Salt Lake County UT, Salt Lake County Council, 2021-02-02"},
	{"agreeing", `all|elected|the|vote|was|were|motion|a|by|on|and|it|to|approve|councilors|councillors|council|members|` +
		`board|` +
		`member|present|with|upon|is|roll|call|taken|of|in|favor|voted|trustees|commissioners|directors|this|for|favour|` +
		`passed|carried|approved|an|moderator|declared`,
		"The vote was unanimous.", "no document at hand"},
	{"numbering", `january|february|march|april|may|june|july|august|september|october|november|december|sections?|` +
		`no\.|number|resolution|ordinance|bill|chapter|items?|fy|article|page|lots?|between|from|r-|code|case|file|` +
		`pct\.|precinct|ward|district|place|seat`,
		"Doe to approve Resolution 23-17 RDA as presented.", "Logan UT, Redevelopment Agency, 2023-05-16"},
	{"what", `to|that|for|the|we|this|approval|approv|adoption|adopt|acceptance|accept|passage|tabl|its|an?|by|and|` +
		`and seconded|a motion|as|adjournment|refusal|denial|deferral|rejection|receipt`,
		"The board may wish to cast a vote for no more", "San Juan Usd CA, Board of Education, 2024-02-27"},
	{"firm", `carried|carries|passed|passes|sanctioned|did pass|did carry|failed|fails|defeated|lost|prevailed|` +
		`prevails|enacted|` +
		`tabled|fell`,
		"The motion carried 4-1", "Clayton MO, Board of Aldermen, 2019-05-28"},
	{"soft", `accepted|agreed|confirmed|granted|concurred|sustained|upheld|referred|resolved|continued`,
		"2024, regular meeting of council be accepted.”", "Bentley AB, Town of Bentley Council, 2024-11-26"},
	{"between", `the|this|that|was|were|is|are|been|has|have|and|so|also|then|it|which|duly|unanimously|finally|hereby|` +
		`thereupon|declared|stands?|subsequently|upon|vote|voting|on|by|final|main|original|amended|as|a|an|roll|call|` +
		`ended|being|called|voice|put|to|question|record|recorded|taken|motion|motions|resolved|moved|made|seconded|n|` +
		`council|board|votes?|with|passage|all|reading|read|third|second|first|time|in|full|proposal|therefore|unanimous|` +
		`chair|mayor|announced|same|above|substitute|amendment|resolution|ordinance|consent|bill|policy|bills|` +
		`resolutions|ordinances|proposition`,
		"The motion was then put to the vote and carried.", "no document at hand"},
	{"behind", `via|en|bloc|unanimous|unanimously|by|on|a|an|the|voice|vote|votes|roll|call|as|amended|presented|` +
		`submitted|written|` +
		`with|and|of|to|all|in|favor|favour|no|nays?|ayes?|yes|yeas?|noes|none|opposed|against|for|abstention|abstentions|` +
		`abstained|abstaining|recused|absent|members?|present|following|majority|council|board|consent|show|hands|` +
		`division|voting|councilmembers?|councill?ors?|commissioners?|trustees?|directors?|recorded|` +
		`being|cast|it|so|ordered|unanimity|due|tied|tie|lack|second|is|was|motion|carried|passed|approved|adopted|` +
		`declared|reading|follows|dissent|opposition|objection|without|zero|one|two|three|four|five|six|seven|eight|nine|` +
		`ten|want|thirds|required|needed`,
		"Carried by a vote of 4-1", "no document at hand"},
	{"weak", `for|no|yes|against|approve|agreed|present|away|conflicts?|opposed?|negative|affirmative|dissent|` +
		`in favou?r|in opposition|excused|absent|left early`,
		"For: Doe, Roe", "no document at hand"},
	{"spoken", `ayes?|yea|yes|nay|no|abstain(?:ed)?|absent`,
		"Doe yes, Roe no", "no document at hand"},
	{"answer", `yeas|nays|abstain(?:ing|s)|recused?|excused|not voting|nv|in favou?r|y|n`,
		"Doe – recused", "no document at hand"},
	{"verdict", `for|against|approved?|denied|deny|opposed`,
		"Doe – for, Roe – against", "no document at hand"},
	{"aye answer", `y|a|approved?`,
		"Doe – Y", "no document at hand"},
	{"nay answer", `n|denied|deny`,
		"Roe – N", "no document at hand"},
	{"abstain answer", `ab|abs`,
		"AB    Doe", "no document at hand"},
	{"attending", `physically|present|attendance|attendees|attendee|attending|attended|answering|responding|answered|` +
		`participating|participated|sederunt`,
		"OF THE COUNCIL AND ADMINISTRATION WERE PRESENT:", "Provo UT, Provo Municipal Council, 2022-03-15"},
	{"missing", `absent|absents|absentees|absence|absentee|regrets|apologies|apology|missing`,
		"Apologies: Doe", "no document at hand"},
	{"excusing", `excused|excuses|unexcused`,
		"Councilmember Doe absent excused.", "Chandler AZ, City Council, 2026-05-21"},
	{"online", `remote|remotely|zoom|teleconference|telephone|phone|virtual|virtually|online|electronically|` +
		`videoconference|video`,
		"STAFF PRESENT ELECTRONICALLY:", "West Valley UT, West Valley City Council, 2023-03-07"},
	{"tardy", `late|tardy`,
		"Late: Doe", "no document at hand"},
	{"guests", `staff|other|others|also|guest|guests|visitor|visitors|public|press|media|administration|administrative|` +
		`employees|consultants|consultant|personnel|observers|citizens|residents|audience|officers|appointed|nonmembers|` +
		`nonmember|advisory|advisors|witnesses|presenters|speakers|nonvoting|non-voting|youth|student|students|ex|officio`,
		"Staff members present at the meeting were:", "Salt Lake City UT, Salt Lake City Planning Commission, 2023-03-08"},
	{"of body", `cllr|cllrs|cr|crs|clr|clrs|members|member|council|councilmembers|councilmember|councillors|councilors|` +
		`councilmen|board|commission|commissioners|commissioner|trustees|directors|supervisors|selectmen|selectboard|` +
		`elected|committee|aldermen|alderpersons|legislators|representatives|delegates|officials|magistrates|` +
		`justices|senators|freeholders|alders`,
		"Council Member Doe was then excused from the", "Millcreek UT, Millcreek City Council, 2018-01-08"},
	{"presiding", `conducting|presiding`,
		"CONDUCTING Mayor Doe", "no document at hand"},
	{"negating", `not|non|no`,
		"Members Not Present: Doe", "no document at hand"},
	{"joining", `to|wit|wit:|motive|the|of|were|was|are|is|at|roll|call|those|following|follow|follows|as|beginning|` +
		`meeting|voting|with|without|notice|by|and|or|in|via|name|names|their|on|from|for|also,|additionally|participating|` +
		`person|` +
		`electronic|means|quorum|prior|joined|leave|previously|approved|granted|d|l|a|applications|application`,
		"The board may wish to cast a vote for no more", "San Juan Usd CA, Board of Education, 2024-02-27"},
	{"acting", `voted|recommended (?:approval|denial|adoption|passage)`,
		"The Board of Health voted to close the well.", "no document at hand"},
	{"acting on", `approved|adopted|passed|rejected|defeated|denied|endorsed|ratified|enacted|accepted|refused|` +
		`turned down|authorized|overturned|upheld|elected`,
		"The Senate passed the bill 34-14.", "no document at hand"},
	{"acts", `votes?|approves|adopts|rejects`,
		"Planning Commissioners vote (6-0)", "no document at hand"},
	{"object", `the|an?|its|their|his|her|our|this|that|these|those|no|all|both|some|any|it`,
		"passed the bill", "no document at hand"},
	{"of others", `his|her|their|your|my`,
		"his members voted by mail", "no document at hand"},
	{"collective", `council|board|selectboard|commission|committee|authority|court|agency|commissioners|assembly`,
		"The Council voted 5-2.", "no document at hand"},
	{"of the body", `members?|trustees?|directors?|supervisors?|selectmen|aldermen|alder(?:person|men)?s?|councill?ors?|` +
		`council ?members?|councilmembers?|board ?members?|commissioners?|representatives|delegates|legislators|jurors|` +
		`body|chair|mayor|president`,
		"Members voted as follows", "no document at hand"},
	{"self", `full|entire|whole|present|governing|said|regular|remaining|other|voting|attending|seated|new|majority|` +
		`quorum|the|an?|all|both|every|each|these|those|of|in|on|our|that|attendance|same|being|having|then|who|this`,
		"The remaining members voted no.", "no document at hand"},
	{"place", `town|city|village|county|township|borough|parish|district|municipal|municipality|community`,
		"The County Council voted 41 to 22.", "no document at hand"},
	{"somebody", `all|everyone|everybody|they|he|she|it|we|i|you|who|which|those|none|nobody|no one|majority|others?|` +
		`each|both|not|most|many|some`,
		"All voted in favor.", "no document at hand"},
	{"clause", `and|or|but|that|which|who|whom|because|as|since|when|while|where|if|than|until|after|before|so|though`,
		"a meeting where the motion carried", "no document at hand"},
	{"relative", `which|who`,
		"the board, which voted 7-2", "no document at hand"},
	{"aside", `has|have|had|did|do|does|also|then|again|next|just|later|not|never|hereby|\w+ly`,
		"has narrowly voted", "no document at hand"},
	{"passive", `was|were|is|are|be|been|being|gets?|got|stands?`,
		"The budget was approved.", "no document at hand"},
	{"suppose", `if|whether|unless|in the event|in case|supposing|assuming|provided that`,
		"in the event that the motion is lost", "no document at hand"},
	{"earlier", `had`,
		"The Cabinet had voted 7-3.", "no document at hand"},
	{"elsewhere", `where`,
		"the meeting of the club, where a motion carried", "no document at hand"},
	{"there", `there`,
		"A motion to buy gloves there passed.", "no document at hand"},
	{"long ago", `(?:in|since|during) (?:1[89]|20)\d\d|(?:last|previous) (?:night|week|month|year|spring|summer|fall|` +
		`autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december)|` +
		`(?:years?|months?|weeks?|days?) ago`,
		"the vote last fall was 4-2", "no document at hand"},
	{"in month", `in (?:january|february|march|april|may|june|july|august|september|october|november|december)`,
		"which voted 7-2 in May to object", "no document at hand"},
	{"agent", `by`,
		"carried by three stores", "no document at hand"},
	{"no agent", `a|an|unanimous(?:ly)?|majority|voice|roll|acclamation|consent|motion|show|ballot|resolution|` +
		`ordinance|title|reference|general|mail|email|law|statute|proxy|following|same|state law|vote|votes|voting|` +
		`voters? ` +
		`present|two thirds|default|simple|council|board|members|all|hand|hands|secret|ayes|assent|consensus|common`,
		"approved by the following vote", "no document at hand"},
	{"saying that", `that (?:the|an?|his|her|their|its|our|this|these|those|he|she|it|they|we|in|on|at|last)`,
		"He said that the club voted 7-4.", "no document at hand"},
	{"rules that", `moved|moves|motion|motioned|move|resolved|resolves|declared|declares|announced|ordered|voted|vote|` +
		`decided|agreed|found|proposed|carried|passed|adopted|approved|ruled|resolution|recommended|seconded|` +
		`concluded|certified|` +
		`stated that the motion|so|such|provided|now|in order`,
		"It was resolved that the bill be paid.", "no document at hand"},
	{"inside", `in|at`,
		"At the County Commission, the plan was approved.", "no document at hand"},
	{"not yet", `be|being`,
		"that the sculptures be accepted by the city", "no document at hand"},
}
