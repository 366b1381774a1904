// Adds the day on which the reader sees the page to its citation, also in print.
(() => {
	const place = document.getElementById("accessed");
	const day = new Date().toLocaleDateString(place.getAttribute("data-day"), {year: "numeric", month: "long", day: "numeric"});
	place.textContent = place.getAttribute("data-said").replace("{0}", day);
})();
