// Reads a feed as the OneBusAway apps do, with every method of OneBusAway's own SDK, and compares the counts in the answers
// with each other.
import { OnebusawaySDK } from 'onebusaway-sdk';

const path = encodeURIComponent; // the SDK does not escape ids

// readApps calls line(what, counts) with each comparison. base is the address that a rider enters in an app.
export async function readApps(base, line) {
  const sdk = new OnebusawaySDK({ apiKey: 'TEST', baseURL: base, maxRetries: 0 });
  const entry = async (answer) => (await answer).data.entry;
  const list = async (answer) => (await answer).data.list;
  // refused returns the status of an answer that must be an error.
  const refused = async (answer) => answer.then(() => 200, (error) => error.status);

  const areas = await list(sdk.agenciesWithCoverage.list());
  const config = await entry(sdk.config.retrieve());
  line('apps: days of the feed', { config: config.serviceDateFrom <= config.serviceDateTo, wanted: true });
  const { time } = await entry(sdk.currentTime.retrieve());
  line('apps: time', { 'current-time': Math.abs(time - Date.now()) < 60_000, here: true });
  for (const { agencyId, lat, lon, latSpan, lonSpan } of areas) {
    const agency = await entry(sdk.agency.retrieve(path(agencyId)));
    const routes = await list(sdk.routesForAgency.list(path(agencyId)));
    const stops = await list(sdk.stopsForAgency.list(path(agencyId)));
    line(`apps: ${agencyId}`, { coverage: agencyId, agency: agency.id });
    line(`apps: routes of ${agencyId}`, { list: routes.length, ids: (await list(sdk.routeIdsForAgency.list(path(agencyId)))).length });
    line(`apps: stops of ${agencyId}`, { list: stops.length, ids: (await list(sdk.stopIdsForAgency.list(path(agencyId)))).length });
    const area = await list(sdk.stopsForLocation.list({ lat, lon, latSpan: latSpan + 0.01, lonSpan: lonSpan + 0.01, maxCount: 1000 }));
    const placed = new Set(area.map((s) => s.id));
    if (area.length < 1000) {
      line(`apps: stops in the area of ${agencyId}`, { found: stops.filter((s) => placed.has(s.id)).length, list: stops.length });
    }
    await list(sdk.routesForLocation.list({ lat, lon, radius: 5000 }));
    await list(sdk.tripsForLocation.list({ lat, lon, latSpan: latSpan + 0.01, lonSpan: lonSpan + 0.01, includeSchedule: true }));
    for (const vehicle of await list(sdk.vehiclesForAgency.list(path(agencyId)))) {
      const on = await entry(sdk.tripForVehicle.retrieve(path(vehicle.vehicleId)));
      line(`apps: trip of ${vehicle.vehicleId}`, { vehicles: vehicle.tripId, vehicle: on.tripId });
    }
    for (const route of routes.slice(0, 20)) await readRoute(sdk, line, entry, list, route, config.serviceDateFrom);
    for (const stop of stops.slice(0, 20)) await readStop(sdk, line, entry, list, stop);
  }
  line('apps: an unknown agency', { status: await refused(sdk.agency.retrieve('none')), wanted: 404 });
  line('apps: an unknown vehicle', { status: await refused(sdk.tripForVehicle.retrieve('none_1')), wanted: 404 });
  line('apps: reports about stops', { status: await refused(sdk.reportProblemWithStop.retrieve('none_1')), wanted: 404 });
  line('apps: reports about trips', { status: await refused(sdk.reportProblemWithTrip.retrieve('none_1')), wanted: 404 });
}

async function readRoute(sdk, line, entry, list, { id, shortName }, date) {
  line(`apps: route ${id}`, { list: shortName, alone: (await entry(sdk.route.retrieve(path(id)))).shortName });
  if (shortName) {
    const found = await list(sdk.searchForRoute.list({ input: shortName, maxCount: 1000 }));
    line(`apps: search for route ${shortName}`, { found: found.some((r) => r.id === id), wanted: true });
  }
  const stops = await entry(sdk.stopsForRoute.list(path(id)));
  const grouped = new Set(stops.stopGroupings[0].stopGroups.flatMap((g) => g.stopIds));
  line(`apps: stops of ${id}`, { all: stops.stopIds.length, groups: grouped.size });
  const schedule = await entry(sdk.scheduleForRoute.retrieve(path(id), { date }));
  for (const trip of schedule.stopTripGroupings.flatMap((g) => g.tripsWithStopTimes).slice(0, 2)) {
    const { blockId, shapeId } = await entry(sdk.trip.retrieve(path(trip.tripId)));
    const details = await entry(sdk.tripDetails.retrieve(path(trip.tripId), { serviceDate: schedule.scheduleDate }));
    line(`apps: calls of ${trip.tripId}`, { schedule: trip.stopTimes.length, details: details.schedule.stopTimes.length });
    if (blockId) {
      const { configurations } = await entry(sdk.block.retrieve(path(blockId)));
      const there = configurations.some((c) => c.trips.some((t) => t.tripId === trip.tripId));
      line(`apps: block ${blockId}`, { has: there, wanted: true });
    }
    if (shapeId) line(`apps: shape ${shapeId}`, { drawn: (await entry(sdk.shape.retrieve(path(shapeId)))).length > 1, wanted: true });
  }
  for (const trip of await list(sdk.tripsForRoute.list(path(id)))) {
    line(`apps: ${trip.tripId} is under way`, { phase: trip.status.phase, wanted: 'in_progress' });
  }
}

async function readStop(sdk, line, entry, list, { id, name, lat, lon }) {
  line(`apps: stop ${id}`, { list: name, alone: (await entry(sdk.stop.retrieve(path(id)))).name });
  const found = await list(sdk.searchForStop.list({ input: name, maxCount: 1000 }));
  line(`apps: search for stop ${id}`, { found: found.some((s) => s.id === id), wanted: true });
  const near = await list(sdk.stopsForLocation.list({ lat, lon, latSpan: 0, lonSpan: 0, radius: 50 }));
  line(`apps: stops near ${id}`, { found: near.some((s) => s.id === id), wanted: true });
  await entry(sdk.scheduleForStop.retrieve(path(id)));
  const { arrivalsAndDepartures: calls } = await entry(sdk.arrivalAndDeparture.list(path(id), { minutesAfter: 240 }));
  for (const { tripId, serviceDate, stopSequence, frequency, scheduledArrivalTime } of calls.slice(0, 1)) {
    const alone = await entry(sdk.arrivalAndDeparture.retrieve(path(id), { tripId, serviceDate, stopSequence }));
    if (!frequency) line(`apps: ${tripId} at ${id}`, { list: scheduledArrivalTime, alone: alone.scheduledArrivalTime });
  }
}
