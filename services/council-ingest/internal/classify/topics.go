package classify

import "github.com/townline/townline/pkg/council"

// A definition says what a topic is for. People label by these lines, and models are shown them.
type definition struct {
	Topic council.Topic
	// Is names what belongs, Not what looks like it and belongs elsewhere.
	Is, Not string
}

// rule decides most of the cases where two topics compete.
const rule = "The subject decides, not the form: a contract to repair a sewer is utilities, a grant for police radios is public-safety. " +
	"Of two subjects, the one that the decision is for."

// guide defines the topics, in the order of the API.
var guide = []definition{
	{council.TopicHousing, "homes as policy or money: affordable housing, tenants and rent, loans to owners, the housing element and federal housing funds, short-term rentals",
		"permits and rules for building (land-use-zoning), shelters (homelessness)"},
	{council.TopicLandUse, "what may be built where: zoning, general plan, permits, appeals, maps, annexation, environmental review, signs, landmarks, easements",
		"works on streets or pipes"},
	{council.TopicPublicSafety, "police, fire, ambulance, emergencies, animals, hazards and nuisances, what is forbidden for safety's sake",
		"pay and promotion of officers (personnel-labor)"},
	{council.TopicBudget, "budget, taxes, fees in general, debt, audit, investments, bills, reserves, gifts of money without another subject",
		"rates of water, sewer and waste (utilities)"},
	{council.TopicUtilities, "water, sewer, storm drains, power, gas, waste, networks: works, rates, supplies and rules",
		""},
	{council.TopicTransport, "streets, traffic, parking, sidewalks, bicycles, transit, bridges, airports, ferries",
		"naming and planning of new streets in a subdivision (land-use-zoning)"},
	{council.TopicParks, "parks, trails, trees, sports and recreation, beaches, libraries, museums, public art, festivals and special events",
		""},
	{council.TopicEconomy, "business, tourism, downtown, licences of trades, tax incentives, sale or lease of land for business, jobs",
		""},
	{council.TopicHomelessness, "shelter, encampments, outreach, supportive housing, people who live outdoors or in vehicles",
		"affordable housing in general (housing)"},
	{council.TopicPersonnel, "the city as employer: unions, pay, positions, hiring and leaving, benefits, pensions, training of staff",
		"members of boards and commissions (governance-procedural)"},
	{council.TopicContracts, "purchases and contracts whose subject is none of the other topics, and purchasing itself: bids, vendors, surplus property",
		"any contract with a subject of its own"},
	{council.TopicGovernance, "the council's own affairs: minutes, agenda, rules, elections, boards and commissions, records, ethics, litigation and claims, closed sessions",
		""},
	{council.TopicOther, "a clear subject outside of the other twelve: proclamations, honours, positions on laws of others, sister cities, health, climate, schools",
		"items that do not say what they are about (none)"},
}
