package gtfs

import (
	"bytes"
	"slices"
	"strings"
)

// The current and past codes of ISO 4217, by their number of decimal places. Metals and units of
// account have no decimal places.
const (
	places0 = "ADP BEF BIF BYB BYR CLP DJF ESP GNF GRD ISK ITL JPY KMF KRW LUF MGF PTE PYG ROL RWF TPE TRL UGX " +
		"UYI VND VUV XAF XOF XPF"
	places2 = "AED AFA AFN ALL AMD ANG AOA ARS ATS AUD AWG AYM AZM AZN BAM BBD BDT BGL BGN BMD BND BOB BOV BRL " +
		"BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CSD CUC CUP CVE CYP CZK DEM DKK DOP DZD " +
		"EEK EGP ERN ETB EUR FIM FJD FKP FRF GBP GEL GHC GHS GIP GMD GTQ GWP GYD HKD HNL HRK HTG HUF IDR " +
		"IEP ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL LTL LVL MAD MDL MGA MKD MMK MNT " +
		"MOP MRO MRU MTL MUR MVR MWK MXN MXV MYR MZM MZN NAD NGN NIO NLG NOK NPR NZD PAB PEN PGK PHP PKR " +
		"PLN QAR RON RSD RUB RUR SAR SBD SCR SDD SDG SEK SGD SHP SIT SKK SLE SLL SOS SRD SRG SSP STD STN " +
		"SVC SYP SZL THB TJS TMM TMT TOP TRY TTD TWD TZS UAH USD USN USS UYU UZS VEB VED VEF VES WST XCD " +
		"XCG YER YUM ZAR ZMK ZMW ZWD ZWG ZWL ZWN ZWR"
	places3  = "BHD IQD JOD KWD LYD OMR TND"
	places4  = "CLF"
	noPlaces = "XAG XAU XBA XBB XBC XBD XDR XFO XFU XPD XPT XSU XTS XUA XXX"
)

// IsCurrency reports whether cell is a currency code of ISO 4217.
func IsCurrency(cell []byte) bool {
	_, has := CurrencyPlaces(cell)
	return has || slices.Contains(strings.Fields(noPlaces), string(cell))
}

// CurrencyPlaces returns the number of decimal places of a currency. ok is false if the currency is
// unknown or has none.
func CurrencyPlaces(code []byte) (places int, ok bool) {
	for n, codes := range []string{places0, "", places2, places3, places4} {
		if len(code) == 3 && !bytes.Contains(code, []byte{' '}) && strings.Contains(codes, string(code)) {
			return n, true
		}
	}
	return 0, false
}
