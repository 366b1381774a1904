// Says on which day the reader sees the page, in print and in citations.
(() => {
	const places = document.querySelectorAll("[data-said]"), as = {year: "numeric", month: "long", day: "numeric"};
	for (let i = 0; i < places.length; i++) {
		const day = new Date().toLocaleDateString(places[i].getAttribute("data-day"), as);
		places[i].textContent = places[i].getAttribute("data-said").replace("{0}", day);
	}
})();
