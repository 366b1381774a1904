package rest

import (
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// AccessLog says which requests are logged.
type AccessLog string

const (
	LogErrors AccessLog = "errors" // server errors and slow answers; "" means the same
	LogAll    AccessLog = "all"
	LogOff    AccessLog = "off"
)

// validID matches a client's request id that fits into a log line and a URN.
var validID = regexp.MustCompile(`^[0-9A-Za-z_.-]{8,64}$`)

// metrics counts by endpoint and class of status.
type metrics struct {
	seconds *prometheus.HistogramVec
	slow    prometheus.Counter
}

var classes = [6]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

func newMetrics(exported promauto.Factory) *metrics {
	return &metrics{
		seconds: exported.NewHistogramVec(prometheus.HistogramOpts{
			Name: "townline_http_request_duration_seconds", Help: "Time to answer, by endpoint and class of status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "status"}),
		slow: exported.NewCounter(prometheus.CounterOpts{Name: "townline_http_slow_clients_total",
			Help: "Connections that were closed because the client read its answer too slowly."}),
	}
}

// observers returns the metrics of a route by class of status, so that requests need no lookup.
func (m *metrics) observers(route string) (seconds [6]prometheus.Observer) {
	for i, class := range classes {
		seconds[i] = m.seconds.WithLabelValues(route, class)
	}
	return seconds
}
