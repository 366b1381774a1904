// Says on which day the reader sees the page, in print and in citations.
(() => {
	document.querySelectorAll("[data-said]").forEach(place => {
		const day = new Date().toLocaleDateString(place.getAttribute("data-day"), {year: "numeric", month: "long", day: "numeric"});
		place.textContent = place.getAttribute("data-said").replace("{0}", day);
	});
})();
