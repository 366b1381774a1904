package gtfs

import "slices"

// unchanged lists the files that the import stores but does not use. Manual rows use the key, but
// the feed may have several rows with the same key. Rows that refer to a missing row are omitted.
func unchanged() []Table {
	return []Table{
		{
			File: "transfers.txt", Title: "Transfers: where and how riders change", Plain: true,
			Key: []string{"from_stop_id", "to_stop_id", "from_route_id", "to_route_id", "from_trip_id", "to_trip_id"},
			Columns: slices.Concat(ref("from_stop_id", "stops.txt"), ref("to_stop_id", "stops.txt"),
				ref("from_route_id", "routes.txt"), ref("to_route_id", "routes.txt"), ref("from_trip_id", "trips.txt"),
				ref("to_trip_id", "trips.txt"), enum("012345", "transfer_type"),
				of(Count, "min_transfer_time")),
		},
		{
			File: "pathways.txt", Title: "Pathways: ways within stations", Plain: true, Key: []string{"pathway_id"},
			Columns: slices.Concat(of(Text, "pathway_id"), ref("from_stop_id", "stops.txt"),
				ref("to_stop_id", "stops.txt"), enum("1234567", "pathway_mode"), enum("01", "is_bidirectional"),
				of(Distance, "length"), of(Positive, "traversal_time"), of(Signed, "stair_count"), of(Float,
					"max_slope"),
				of(Distance, "min_width"),
				of(Text, "signposted_as", "reversed_signposted_as")),
		},
		{
			File: "levels.txt", Title: "Levels of stations", Plain: true, Key: []string{"level_id"},
			Columns: slices.Concat(of(Text, "level_id"), of(Float, "level_index"), of(Text, "level_name")),
		},
		{
			File: "attributions.txt", Title: "Attributions: who produces and operates what", Plain: true,
			Key: []string{"attribution_id"},
			Columns: slices.Concat(of(Text, "attribution_id", "agency_id"), ref("route_id", "routes.txt"),
				ref("trip_id", "trips.txt"), of(Text, "organization_name"),
				enum("01", "is_producer", "is_operator", "is_authority"), of(URL, "attribution_url"),
				of(Email, "attribution_email"), of(Text, "attribution_phone")),
		},
		{
			File: "fare_attributes.txt", Title: "Fares, version 1", Plain: true, Key: []string{"fare_id"},
			Columns: slices.Concat(of(Text, "fare_id"), of(Distance, "price"), of(Currency, "currency_type"),
				enum("01", "payment_method"), enum("012", "transfers"), of(Text, "agency_id"), of(Count,
					"transfer_duration")),
		},
		{
			File: "fare_rules.txt", Title: "Rules of fares, version 1", Plain: true,
			Key: []string{"fare_id", "route_id", "origin_id", "destination_id", "contains_id"},
			Columns: slices.Concat(of(Text, "fare_id"), ref("route_id", "routes.txt"),
				of(Text, "origin_id", "destination_id", "contains_id")),
		},
		{
			File: "timeframes.txt", Title: "Timeframes of fares", Plain: true, Key: []string{"timeframe_group_id", "start_time",
				"end_time", "service_id"},
			Columns: slices.Concat(of(Text, "timeframe_group_id"), of(Time, "start_time", "end_time"),
				ref("service_id", "calendar.txt")),
		},
		{
			File: "rider_categories.txt", Title: "Categories of riders", Plain: true, Key: []string{"rider_category_id"},
			Columns: slices.Concat(of(Text, "rider_category_id", "rider_category_name"),
				enum("01", "is_default_fare_category"), of(URL, "eligibility_url")),
		},
		{
			File: "fare_media.txt", Title: "What fares are paid or proved with", Plain: true, Key: []string{"fare_media_id"},
			Columns: slices.Concat(of(Text, "fare_media_id", "fare_media_name"), enum("01234", "fare_media_type")),
		},
		{
			File: "fare_products.txt", Title: "What riders can buy", Plain: true,
			Key: []string{"fare_product_id", "rider_category_id", "fare_media_id"},
			Columns: slices.Concat(of(Text, "fare_product_id", "fare_product_name", "rider_category_id",
				"fare_media_id"),
				of(Distance, "amount"), of(Currency, "currency")),
		},
		{
			File: "fare_leg_rules.txt", Title: "Rules of fares for a leg", Plain: true,
			Key: []string{"network_id", "from_area_id", "to_area_id", "from_timeframe_group_id", "to_timeframe_group_id",
				"fare_product_id"},
			Columns: slices.Concat(
				of(Text, "leg_group_id", "network_id", "from_area_id", "to_area_id", "from_timeframe_group_id",
					"to_timeframe_group_id", "fare_product_id"), of(Count, "rule_priority")),
		},
		{
			File: "fare_leg_join_rules.txt", Title: "Rules for legs that count as one", Plain: true,
			Key: []string{"from_network_id", "to_network_id", "from_stop_id", "to_stop_id"},
			Columns: slices.Concat(of(Text, "from_network_id", "to_network_id"), ref("from_stop_id", "stops.txt"),
				ref("to_stop_id", "stops.txt")),
		},
		{
			File: "fare_transfer_rules.txt", Title: "Rules of fares for transfers", Plain: true,
			Key: []string{"from_leg_group_id", "to_leg_group_id", "fare_product_id", "transfer_count", "duration_limit"},
			Columns: slices.Concat(of(Text, "from_leg_group_id", "to_leg_group_id"), of(Signed, "transfer_count"),
				of(Positive, "duration_limit"), enum("0123", "duration_limit_type"), enum("012",
					"fare_transfer_type"), of(Text, "fare_product_id")),
		},
		{
			File: "areas.txt", Title: "Areas of fares", Plain: true, Key: []string{"area_id"},
			Columns: of(Text, "area_id", "area_name"),
		},
		{
			File: "stop_areas.txt", Title: "Stops of areas", Plain: true, Key: []string{"area_id", "stop_id"},
			Columns: slices.Concat(of(Text, "area_id"), ref("stop_id", "stops.txt")),
		},
		{
			File: "networks.txt", Title: "Networks of routes", Plain: true, Key: []string{"network_id"},
			Columns: of(Text, "network_id", "network_name"),
		},
		{
			File: "route_networks.txt", Title: "Routes of networks", Plain: true, Key: []string{"route_id"},
			Columns: slices.Concat(of(Text, "network_id"), ref("route_id", "routes.txt")),
		},
		{
			File: "location_groups.txt", Title: "Groups of stops that riders are collected at on demand", Plain: true,
			Key:     []string{"location_group_id"},
			Columns: of(Text, "location_group_id", "location_group_name"),
		},
		{
			File: "location_group_stops.txt", Title: "Stops of location groups", Plain: true,
			Key:     []string{"location_group_id", "stop_id"},
			Columns: slices.Concat(of(Text, "location_group_id"), ref("stop_id", "stops.txt")),
		},
		{
			File: "booking_rules.txt", Title: "How riders book", Plain: true, Key: []string{"booking_rule_id"},
			Columns: slices.Concat(of(Text, "booking_rule_id"),
				enum("012", "booking_type"),
				of(Signed, "prior_notice_duration_min", "prior_notice_duration_max", "prior_notice_last_day"),
				of(Time, "prior_notice_last_time"), of(Signed, "prior_notice_start_day"), of(Time,
					"prior_notice_start_time"),
				ref("prior_notice_service_id", "calendar.txt"),
				of(Text, "message", "pickup_message", "drop_off_message", "phone_number"),
				of(URL, "info_url", "booking_url")),
		},
	}
}
