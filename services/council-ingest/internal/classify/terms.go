package classify

import "github.com/townline/townline/pkg/council"

// A weight says how much a term tells: 0 hides the shorter terms in it, 1 and 2 hint, 3 makes likely, 4 is nearly sure, 6 wins over whatever else is there.
// However many hints there are, they add up to no more than hints is (keywords.go).
//
// Terms are parted by commas, in lower case, and stand for their plural as well. Where two terms overlap in a title the longer one
// counts, so "police officers association" says nothing about police. Only words that any city of the language would use belong here:
// no names of people, places or firms. Change a term because of titles in testdata/tune.tsv or from life, never because of test.tsv.
type weighted struct {
	weight float64
	terms  string
}

// vocabulary is what Keywords knows.
var vocabulary = map[council.Topic][]weighted{
	council.TopicHousing: {
		{4, "affordable housing, below market, low income housing, moderate income, inclusionary, housing element, housing authority, short term rental, vacation rental, " +
			"mobile home park, mobilehome, rent control, rent stabilization, rent increase, rent review, rental assistance, rental relief, rent relief, community development block grant, cdbg, " +
			"home investment partnership, housing choice voucher, fair housing, housing trust, homebuyer, section 8, community land trust, affordable home, affordable apartment, " +
			"affordable unit, restricted unit, tenant protection, just cause, workforce housing, housing rehabilitation, home rehabilitation, tax credit allocation, housing successor, weatherization, voucher program"},
		{3, "housing, tenant, eviction, landlord, renter, homeowner, annual action plan, consolidated plan, low income, lead paint, condominium conversion, affordable, residential rental"},
		{2, "voucher, rent, apartment, rental, dwelling, home repair, multifamily housing, condominium, mortgage, residential unit"},
		{1, "unit, home, multifamily, house, owner occupied, relocation, deed of trust, subordination, subordinating"},
	},
	council.TopicLandUse: {
		{4, "rezoning, rezone, zone change, zoning, zoning map, conditional use permit, special use permit, use permit, general plan, specific plan, comprehensive plan, master development plan, " +
			"subdivision, tentative map, tentative subdivision map, parcel map, final map, final plat, preliminary plat, plat, site plan, wireless facility, cell tower, telecommunication tower, variance, annexation, setback, accessory dwelling unit, accessory dwelling, " +
			"environmental impact report, environmental impact statement, negative declaration, lead agency, environmental quality review, coastal development permit, design review, planned unit development, planned development, " +
			"lot line, height limit, land use, land development, development agreement, floodplain, flood plain, overlay district, transfer of development rights, zoning board of appeals, urban growth, local coastal program, " +
			"historic landmark, historic preservation, historic district, landmark designation, density bonus ordinance, sign code, sign ordinance, certificate of appropriateness, unclassified use, vesting map"},
		{3, "landmark, easement, planning board, sphere of influence, billboard, grading permit, ceqa, seqra, environmental assessment, tract, street vacation, right of way vacation, wetland, moratorium on new, " +
			"mixed use, coastal permit, single family, dwelling units"},
		{2, "planning commission, appeal, sign, parcel, lot, zone, encroachment, story building, unit building, acre, development standard, objective standard, plat of, tree removal, building height, vacation of"},
		{1, "planning, permit, development, residential, warehouse, application of, property, hillside, farmland, entitlement, moratorium, interim"},
	},
	council.TopicPublicSafety: {
		{4, "body worn camera, body camera, license plate reader, mutual aid, fire code, fire prevention, fire department, fire district, fire station, fire engine, fire truck, fire apparatus, fire marshal, " +
			"police department, ambulance, emergency medical, paramedic, homeland security, hazard mitigation, emergency operations, emergency management, animal control, animal shelter, animal services, school resource officer, " +
			"military equipment, traffic safety enforcement, sobriety checkpoint, impaired driving, gunshot detection, code enforcement, nuisance abatement, public nuisance, unsafe structure, unsafe building, weed abatement, hazardous vegetation, " +
			"crime prevention, community policing, crisis response, evacuation plan, curfew, street racing, local emergency, state of emergency, emergency declaration, search and rescue, tow service, bulletproof, ballistic"},
		{3, "police, sheriff, firefighter, fireworks, 911, dispatch, dispatcher, wildfire, crime, firearm, gun, nuisance, rescue, inmate, prisoner, jail, canine, k 9, k9, siren, surveillance, taser, ammunition, lifeguard tower, hazardous material, " +
			"first responder, public safety, warning siren, towing, impound, overdose, loitering, demolition, disaster, patrol"},
		{2, "clean up, cleanup, remedial action, fire, emergency, radio, trespass, security camera, security, officer, evacuation, burning, flood response, weapon, dog, noise, safety enforcement, hazard"},
		{1, "premises, owner of the property, safety, enforcement, prohibiting, penalty, violation, training, alarm, rescue vehicle"},
	},
	council.TopicBudget: {
		{4, "operating budget, annual budget, adopted budget, budget adjustment, budget amendment, budget transfer, budget adoption, midyear budget, mid year budget, amended budget, tentative budget, town budget, city budget, preliminary budget, biennial budget, treasurer report, " +
			"investment policy, investment portfolio, investment report, warrant register, demand register, check register, accounts payable, payment of bills, claims and demands, property tax levy, tax levy, sales tax, appropriations limit, gann limit, " +
			"comprehensive financial report, financial audit, independent auditor, financial statement, fiscal policy, debt policy, debt management, general obligation bond, revenue bond, bond anticipation note, certificates of participation, refunding bond, " +
			"master fee schedule, fee schedule, financial forecast, fund balance, special tax, interfund loan, impact fee, transient occupancy tax, utility users tax, tax refund, tax rate, capital improvement program, capital improvement plan, uncollectible, bank account, financial report"},
		{3, "carryforward, carry forward, financial plan, budget, warrant, audit, auditor, bond, appropriation, reserve policy, general fund reserve, refunding, debt, treasurer, donation, bequest, levy, supplemental appropriation, expenditure, tax, bill, reserve, escrow account, trust account, capital project closure, note"},
		{2, "fiscal year, finance, financial, fiscal, fee, fund, assessor, transfer of fund, bank, reimburse, capital project, revenue, closure, account, payment"},
		{1, "quarter, cost, grant, transfer, money, funding, balance"},
	},
	council.TopicUtilities: {
		{4, "water main, water meter, water rate, water district, water system, water service, water conservation, water supply, water treatment, water management, recycled water, drinking water, sewer main, sewer rate, sewer district, sewer, wastewater, stormwater, storm water, storm drain, " +
			"solid waste, recycling, garbage, refuse, trash, landfill, organics, compost, lift station, pump station, reservoir, groundwater, desalination, biosolids, electric utility, electric rate, community choice, power purchase, " +
			"natural gas, lead service line, well field, backflow, cross connection, scada, chlorine, corrosion control, solar, undergrounding, municipal fiber, fiber network, utility underground, water and wastewater, hydrant, drought, industrial discharge"},
		{3, "grease, hypochlorite, chloride, odor control, sanitary, water, utility rate, pump, well, electricity, power, gas, energy, discharge, aqueduct, irrigation district, transmission line, hauling, digester, sludge, culvert, drainage, watershed"},
		{2, "chemical, carbon, utility, tank, waste, treatment plant, rate increase, rate adjustment, pipeline, franchise, disposal, fiber, broadband, ratepayer"},
		{1, "rate, plant, delinquent account"},
	},
	council.TopicTransport: {
		{4, "pavement, resurfacing, repaving, street rehabilitation, road rehabilitation, stop sign, traffic signal, speed limit, traffic calming, bus service, bus stop, bus route, bus, transit service, bus rapid transit, electric bus, charter bus, buses, vanpool, public transit, light rail, rail line, paratransit, bicycle, bike lane, bikeway, pedestrian, sidewalk, " +
			"curb ramp, crosswalk, parking permit, parking meter, parking garage, parking rate, parking zone, parking regulation, airport, taxiway, runway, bridge replacement, bridge rehabilitation, safe routes to school, complete streets, roundabout, fare, fare policy, street sweeping, road closure, " +
			"electric vehicle charging, vision zero, vehicles and traffic, traffic regulation, one way, quiet zone, rail crossing, grade crossing, scooter, interchange, snow plow, road salt, ferry, loading zone, service change, road maintenance, street improvement, slurry seal, seal coat, traffic safety, left turn"},
		{3, "highway, traffic, transit, parking, bridge, rail, railroad, railway, commuter, intersection, median, corridor, transportation, mobility, asphalt, gravel, motorcoach, locomotive, transit vehicle, streetlight, street light, curb"},
		{2, "street repair, road repair, street work, road work, street project, road project, station, right of way, route, trip, passenger, speed, lane, valet, garage, shuttle, operator agreement"},
		{1, "street, road, vehicle, driver, coach, charging"},
	},
	council.TopicParks: {
		{6, "special event"},
		{4, "playground, recreation, golf, trail, community center, aquatic, swimming, swimming pool, open space, library, festival, athletic field, sports complex, senior center, urban forestry, street tree, tree planting, dog park, off leash, skate park, little league, " +
			"botanical garden, public art, summer camp, day camp, pickleball, tennis, artificial turf, ice rink, museum, concert, campground, marina, boat ramp, cemetery, field house, parks master plan, ball field, ballfield, soccer, softball, community garden, nature preserve, block party, parade, art commission, lifeguard"},
		{3, "concession stand, athletic league, park, beach, swim, pool, sport, field use, camp, art, woodland, conservation land, habitat, tree, garden, bandstand, hiking, youth program, senior program, after school, cultural"},
		{2, "field, event, race, 5k, run, youth, senior, walk, show, carnival, restroom, bench, green"},
		{1, "naming, schedule and fee, season, seasonal, facility use"},
	},
	council.TopicEconomy: {
		{4, "economic development, business improvement district, business improvement, tourism, business license, small business, cannabis, tax increment, industrial development agency, payment in lieu, facade improvement, facade, chamber of commerce, enterprise zone, outdoor dining, workforce development, " +
			"redevelopment agency, recognized obligation, job creation, incentive agreement, farmers market, film permit, revitalization, food truck, vendor permit, convention center, minimum wage, brownfield, liquor license, sidewalk vending, taxicab, exclusive negotiating agreement, merchant, " +
			"tobacco retailer, opportunity zone, commerce park, business park, industrial park, successor agency, visitor bureau, marketing district"},
		{3, "tax abatement, business, redevelopment, retail, retailer, downtown, economic, hotel, vending, marketplace, public market, storefront, marijuana, employer, commerce, tax incentive, revolving loan, entrepreneur"},
		{2, "sale of, disposition, commercial, incentive, marketing, visitor, tobacco, alcohol, license, job, restaurant, market, option to lease"},
		{1, "lease, negotiate, negotiating, expansion, main street"},
	},
	council.TopicHomelessness: {
		{6, "homeless, homelessness, unhoused, unsheltered, encampment"},
		{4, "emergency shelter, shelter crisis, navigation center, warming center, cooling and warming center, safe parking, camping ordinance, prohibiting camping, camping on public, regulating camping, overnight camping, point in time count, supportive housing, " +
			"rapid rehousing, transitional housing, tiny home, continuum of care, interim shelter, interim housing, street outreach, project homekey, homekey, cold weather shelter, winter shelter, living in vehicle, bridge housing"},
		{3, "shelter, shelter bed, camping, tent, outreach team, rv parking, overnight parking"},
		{2, "respite, code blue, outreach, bed, living outdoors, motel conversion, hotel voucher"},
		{1, "day center, services for people"},
	},
	council.TopicPersonnel: {
		{6, "appoint a police officer, appoint a firefighter, sets salary, salary schedule, treatment plant operator, plant operator, salary increase, salary adjustment, recreation employee, seasonal employee, call in employee, side letter, collective bargaining, classification plan, labor negotiator"},
		{4, "memorandum of understanding with the union, labor negotiation, labor agreement, salary, pay schedule, compensation plan, job description, police officers association, police association, firefighters association, firefighters union, employees association, " +
			"superior officers association, officers association, benevolent association, employment agreement, employment contract, workers compensation, health insurance, pension, deferred compensation, civil service, leave of absence, retired annuitant, retirement of, resignation of, performance evaluation, telework, overtime pay, standby pay, longevity, sick leave, family leave, " +
			"recruitment, recruiter, authorized staffing, employee benefit, personnel rules, personnel, payroll, part time, full time, provisional, reclassify, reclassification, transfer of an employee, attendance at, attendance of, retiree, unpaid leave, leave donation, unrepresented, reclassified"},
		{3, "seminar, to attend, staff training, benefit plan, salaried, union, staffing, position, promotion, promoting, promote, employee, labor, union local, stipend, intern, retention bonus, hire, hiring, retirement, wage, probationary, anti harassment, technician, clerk typist, account clerk, office assistant, laborer, maintenance mechanic, groundskeeper, equipment operator, superintendent, conference attendance, appoint a, appoint an, appointment of a, appointment of an"},
		{2, "compensation, overtime, bonus, training of, worker, assistant, clerk, operator, trainee, attendant, specialist, recruit, analyst, secretary, lieutenant, sergeant, resignation, deputy, aide"},
		{1, "staff, manager, appoint, conference, director"},
	},
	council.TopicContracts: {
		{4, "municipal garage, janitorial, custodial, rejecting all bids, reject all bids, rejection of bid, cooperative purchasing, cooperative contract, piggyback, sole source, surplus property, surplus vehicle, surplus equipment, purchasing policy, procurement, purchasing, office supplies, copier, information technology, elevator maintenance, " +
			"on call engineering, on call consultant, plan check, temporary staffing, request for qualifications, replacement fleet, fleet vehicle, fleet, vacuum truck, sewer truck, pickup truck, bid protest, corporation yard, hvac, uniform, design build, insurance broker, laptop, website"},
		{3, "painting of, purchase order, invitation to bid, advertise for bid, software, prequalified, auction, license renewal, temporary personnel services, vendor, task order, low bidder, landscape maintenance, backhoe"},
		{2, "award of bid, award bid, bid award, award of contract, contract award, award contract, rebid, contract amendment, notice to bidders, request for proposals, professional services, change order, bid, consultant, contract, truck, notice of completion, city hall, bidder, services agreement, computer, consulting, increasing compensation, equipment, maintenance services"},
		{1, "purchase, agreement, award, awarding, amendment to the agreement, lease of equipment, renovation, not to exceed, renewal, extension"},
	},
	council.TopicGovernance: {
		{0, "new business, old business, unfinished business, order of business, town clerk, city clerk, village clerk, county clerk, town attorney, city attorney, county attorney"},
		{6, "advisory committee, advisory council, advisory board, approval of the minutes, approval of minutes, approve the minutes, approve minutes, meeting minutes, rules of procedure"},
		{4, "minutes, roll call, pledge of allegiance, adoption of the agenda, approval of the agenda, agenda, conflict of interest, special election, vice chairman, general election, election, charter amendment, mayor pro tem, vice mayor, meeting calendar, " +
			"redistricting, ward, retention schedule, contribution limit, campaign contribution, legal counsel, existing litigation, anticipated litigation, litigation, waive the reading, waive reading, committee assignment, ethics, adjourn, adjournment, public comment, unscheduled vacancy, settlement of claim, " +
			"special counsel, voting delegate, closed session, executive session, charter, municipal code update, travel and expense, ballot argument, ballot measure, damage claim, claim for damages, bylaws, legal action, town board resolution, city council resolution, consent calendar, council rules, council meeting, board meeting, reconsideration, teleconference, remote participation, reappoint, schedule of meetings, public records"},
		{3, "to the planning commission, to the parks and recreation commission, to the library board, to the zoning board of appeals, board of trustees, commission vacancy, vacancy, commissioner, delegate, settlement, stipulation, defend, lawsuit, " +
			"oath of office, swearing in, meeting, delegation of authority, publish and post notice of public hearing, corrects resolution, amends resolution, rescinds resolution, rescind, hearing officer, live streaming, liaison, municipal code, candidate, ballot, selection of a delegate, member of the"},
		{2, "election day, committee, commission, appointing, appointment, task force, attorney, claim, recess, council, sets a public hearing, schedules a public hearing, v, motion"},
		{1, "board, trustee, policy, public hearing, member, resignation, mayor"},
	},
	council.TopicOther: {
		{6, "proclamation, proclaiming, proclaim"},
		{4, "sister city, senate bill, assembly bill, house bill, recognition of, recognizing, commendation, certificate of appreciation, moment of silence, condolences, honoring, in memory of, in honor of, climate action, greenhouse gas, public health, hate crime, hate, census, " +
			"plastic bag, polystyrene, leaf blower, mosquito, child care, immigrant, refugee, time capsule, flag, dark sky, student exchange, awareness month, awareness day, history month, state legislation, federal legislation, offshore, climate emergency, resolution supporting, resolution opposing, resolution condemning"},
		{3, "legislation, in support of, supports, support for, opposing, opposes, opposition to, condemning, school superintendent, school district, influenza, vaccine, hospital, health department, appreciation, climate, letter opposing, letter of support, letter of comment, celebrating, heritage, naming of, naming the, memorial, honor, recognize, delegation to, honorary"},
		{2, "supporting, school, sustainability, health, week, day, month, anniversary, veteran, champion, ban, mental health, equity, resolution of support"},
		{1, "presentation, student, letter, child, community, federal, county"},
	},
}
