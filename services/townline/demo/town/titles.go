package town

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// subject is what an item can be about. Words in braces are drawn from words.
type subject struct {
	topic, kind, title string
}

// Consent items are the council's routine; the others come up one by one, in public hearings or as business.
var (
	consentSubjects = []subject{
		{"budget-finance", "Report", "Receive and File the Treasurer's Report for the Quarter Ending {quarter}"},
		{"budget-finance", "Resolution", "Resolution Ratifying Warrant Register No. {number} in the Amount of {amount}"},
		{"budget-finance", "Resolution", "Resolution Accepting a Donation of {small} from {group} for {park}"},
		{"contracts-procurement", "Resolution", "Resolution Awarding a Contract to {firm} for Custodial Services at City Facilities in an Amount Not to Exceed {amount}"},
		{"contracts-procurement", "Resolution", "Second Amendment to the Agreement with {firm} for Plan Check Services, Increasing Compensation by {small}"},
		{"contracts-procurement", "Resolution", "Resolution Rejecting All Bids for the {street} Storefront Lighting Project and Authorizing Re-Advertisement"},
		{"contracts-procurement", "Resolution", "Purchase of {n} Replacement Fleet Vehicles through a Cooperative Purchasing Agreement for {amount}"},
		{"utilities", "Resolution", "Notice of Completion for the {street} Sewer Main Replacement"},
		{"utilities", "Resolution", "Resolution Authorizing an Application for a State Water Resilience Grant of up to {amount}"},
		{"utilities", "Report", "Annual Report on the Groundwater Monitoring Program at the {street} Well Field"},
		{"transportation", "Resolution", "Resolution Approving Plans and Specifications for the {street} Pavement Rehabilitation Project"},
		{"transportation", "Resolution", "Resolution Establishing a Twenty-Minute Loading Zone on {street} near {avenue}"},
		{"transportation", "Resolution", "Resolution Adopting the Project List for State Road Maintenance Funds, Fiscal Year {fiscal}"},
		{"parks-recreation", "Resolution", "Resolution Approving the Summer Aquatics Schedule and Fees at {park}"},
		{"parks-recreation", "Resolution", "Agreement with {group} for Use of the Field House at {park}"},
		{"parks-recreation", "Resolution", "Resolution Accepting the Restroom Renovation at {park} as Complete"},
		{"public-safety", "Resolution", "Resolution Approving a Mutual Aid Agreement for Coastal Rescue with the Harbor District"},
		{"public-safety", "Resolution", "Acceptance of a Traffic Safety Enforcement Grant in the Amount of {small}"},
		{"public-safety", "Report", "Receive and File the Fire Department's Annual Inspection Report"},
		{"personnel-labor", "Resolution", "Resolution Amending the Classification Plan to Add One Senior Utility Technician"},
		{"personnel-labor", "Resolution", "Side Letter Agreement with the {union} on Standby Pay"},
		{"housing", "Resolution", "Subordination Agreement for an Affordable Housing Loan at {address}"},
		{"housing", "Report", "Annual Progress Report on the Housing Element"},
		{"land-use-zoning", "Resolution", "Final Map for Tract {number}, a Subdivision of {n} Lots on {street}"},
		{"land-use-zoning", "Ordinance", "Second Reading: Ordinance Amending Chapter 17 on Signs in the Waterfront District"},
		{"economic-development", "Resolution", "Resolution Levying the Annual Assessment of the {street} Business Improvement District"},
		{"homelessness", "Resolution", "Renewal of the Winter Warming Center Agreement with {group} for {small}"},
		{"governance-procedural", "Resolution", "Resolution Appointing {person} to the {board}"},
		{"governance-procedural", "Report", "Declaration of {n} Unscheduled Vacancies on the {board}"},
		{"governance-procedural", "Resolution", "Resolution Adopting the Biennial Conflict of Interest Code"},
		{"other", "Proclamation", "Proclamation Declaring {month} as Native Plant Month"},
		{"other", "Resolution", "Resolution Supporting the Sister City Exchange with Skagen Harbor"},
	}
	hearingSubjects = []subject{
		{"land-use-zoning", "Ordinance", "Public Hearing: Zoning Map Amendment for {address} from Light Industrial to Mixed Use"},
		{"land-use-zoning", "Resolution", "Public Hearing: Appeal of the Planning Commission's Approval of a {n}-Unit Building at {address}"},
		{"land-use-zoning", "Ordinance", "Public Hearing: Ordinance Revising Setback and Height Limits along {street}"},
		{"housing", "Resolution", "Public Hearing: Annual Action Plan for Community Development Block Grant Funds, Fiscal Year {fiscal}"},
		{"housing", "Ordinance", "Public Hearing: Ordinance Updating the Inclusionary Housing Requirement to {n} Percent"},
		{"utilities", "Resolution", "Public Hearing: Water and Wastewater Rate Adjustments for Fiscal Year {fiscal}"},
		{"utilities", "Resolution", "Public Hearing: Solid Waste Collection Rates and Liens for Delinquent Accounts"},
		{"budget-finance", "Resolution", "Public Hearing: Master Fee Schedule for Fiscal Year {fiscal}"},
		{"transportation", "Resolution", "Public Hearing: Underground Utility District No. {n} on {street}"},
		{"economic-development", "Resolution", "Public Hearing: Business License Tax Study and Tourism Marketing Assessment"},
	}
	businessSubjects = []subject{
		{"housing", "Resolution", "Exclusive Negotiating Agreement with {firm} for {n} Affordable Homes on the {street} Parking Lot"},
		{"housing", "Ordinance", "Ordinance Limiting Short-Term Rentals to {n} Percent of Homes in the Coastal Zone"},
		{"housing", "Resolution", "Rental Assistance Program Guidelines and a Transfer of {amount} from the Housing Trust Fund"},
		{"land-use-zoning", "Ordinance", "Ordinance Allowing Accessory Dwelling Units on Corner Lots without a Use Permit"},
		{"land-use-zoning", "Resolution", "Coastal Development Permit for the {street} Seawall"},
		{"public-safety", "Resolution", "Purchase of Automated License Plate Readers for {n} Intersections at a Cost of {amount}"},
		{"public-safety", "Ordinance", "Ordinance Prohibiting Overnight Fires on Shell Beach"},
		{"public-safety", "Resolution", "Agreement with the County for a Mobile Crisis Response Team"},
		{"budget-finance", "Resolution", "Midyear Budget Adjustments and an Appropriation of {amount} from the General Fund Reserve"},
		{"budget-finance", "Resolution", "Issuance of Lease Revenue Bonds for the {project} in an Amount Not to Exceed {amount}"},
		{"utilities", "Resolution", "Award of a Construction Contract to {firm} for the {street} Lift Station in the Amount of {amount}"},
		{"utilities", "Resolution", "Power Purchase Agreement for Solar Canopies at the Corporation Yard"},
		{"transportation", "Resolution", "Protected Bicycle Lanes on {street} between {avenue} and the Ferry Terminal"},
		{"transportation", "Resolution", "Parking Meter Rates and Hours for the Downtown District"},
		{"transportation", "Resolution", "Funding Agreement with Alder Bay Transit for Sunday Service to Point Alder"},
		{"parks-recreation", "Resolution", "Master Plan for {park}, Including an Off-Leash Dog Area"},
		{"parks-recreation", "Resolution", "Award of a Contract to {firm} for the Playground at {park} in the Amount of {amount}"},
		{"economic-development", "Resolution", "Facade Improvement Grants of up to {small} per Business on {street}"},
		{"economic-development", "Resolution", "Option to Lease the Old Cannery to {firm} for a Public Market"},
		{"homelessness", "Resolution", "Emergency Shelter Operations Agreement with {group} for {n} Beds at {address}"},
		{"homelessness", "Ordinance", "Ordinance Regulating Camping in Public Parks and Rights-of-Way"},
		{"homelessness", "Resolution", "Safe Parking Pilot Program at the {street} Lot"},
		{"personnel-labor", "Resolution", "Memorandum of Understanding with the {union} for Fiscal Years {fiscal}"},
		{"personnel-labor", "Resolution", "Salary Schedule for Unrepresented Management Employees"},
		{"contracts-procurement", "Resolution", "Agreement with {firm} for Citywide Broadband Planning in the Amount of {amount}"},
		{"contracts-procurement", "Resolution", "Sole-Source Purchase of a Vacuum Sewer Truck for {amount}"},
		{"governance-procedural", "Ordinance", "Ordinance Establishing Contribution Limits for Candidates in City Elections"},
		{"governance-procedural", "Resolution", "Council Rules of Procedure: Time Limits for Public Comment"},
		{"governance-procedural", "Resolution", "Selection of a Delegate to the Association of Bay Governments"},
		{"other", "Resolution", "Resolution on State Legislation Concerning Offshore Wind Leases"},
		{"other", "Resolution", "Naming of the Footbridge at {park} in Memory of {person}"},
	}
)

// words are what the braces stand for.
var words = map[string][]string{
	"street":  {"Harbor Way", "Cañada Way", "Coast Highway", "Orchard Street", "Cannery Row East", "Señal Street", "Lighthouse Road", "Third Street"},
	"avenue":  {"Alder Avenue", "Miramar Avenue", "First Street", "Redwood Avenue"},
	"park":    {"Orchard Park", "Tidepool Park", "Marina Green", "Niño Ranch Park", "Heron Slough Park"},
	"firm":    {"Calloway Civil, Inc.", "Three Rivers Builders", "Marrow & Finch LLP", "Pacific Terrace Homes", "Ostrander Engineering Group", "Bluewater Facility Services", "NorthStar Paving Co."},
	"group":   {"Harbor House Ministries", "the Rotary Club of Alder Bay", "Friends of the Slough", "Open Door Services", "the Alder Bay Youth Soccer League"},
	"union":   {"Alder Bay Firefighters Association", "Police Officers Association", "Municipal Employees Local 442"},
	"board":   {"Planning Commission", "Parks and Recreation Commission", "Harbor Advisory Committee", "Library Board of Trustees"},
	"person":  {"Beatriz Quintero", "Aaron Feldman", "Lottie Brandvold", "Samuel Oyelaran", "Captain Inez Malloy"},
	"project": {"Public Safety Building", "Central Library Seismic Retrofit", "Ferry Terminal Plaza"},
	"address": {"1420 Harbor Way", "88 Cannery Row East", "2301 Coast Highway", "615 Orchard Street", "40 Señal Street"},
	"quarter": {"March 31", "June 30", "September 30", "December 31"},
	"month":   {"April", "May", "September", "October"},
}

// write draws the words of a subject's title. The year decides fiscal years.
func (s subject) write(r *rand.Rand, year int) string {
	title := s.title
	for {
		open := strings.IndexByte(title, '{')
		if open < 0 {
			return title
		}
		end := open + strings.IndexByte(title[open:], '}')
		title = title[:open] + draw(r, title[open+1:end], year) + title[end+1:]
	}
}

// draw picks a word of a kind.
func draw(r *rand.Rand, kind string, year int) string {
	switch kind {
	case "amount":
		return "$" + thousands(40_000+r.IntN(1_200)*1_250)
	case "small":
		return "$" + thousands(2_500+r.IntN(80)*500)
	case "n":
		return fmt.Sprint(2 + r.IntN(28))
	case "number":
		return fmt.Sprint(1000 + r.IntN(8000))
	case "fiscal":
		return fmt.Sprintf("%d-%02d", year, (year+1)%100)
	}
	return pick(r, words[kind])
}

// pick draws one of several.
func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// thousands prints a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
