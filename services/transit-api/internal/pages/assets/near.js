// Searches stops near the reader, after the browser has asked for permission.
(function () {
  'use strict';
  var button = document.getElementById('near'), said = document.getElementById('nearsaid');
  if (!button || !navigator.geolocation || window.isSecureContext === false) return;
  button.className = '';
  button.addEventListener('click', function () {
    navigator.geolocation.getCurrentPosition(function (at) {
      var lang = button.getAttribute('data-lang');
      location.href = button.getAttribute('data-find') + '?near=' + at.coords.latitude.toFixed(5) + ',' + at.coords.longitude.toFixed(5) + (lang ? '&lang=' + lang : '');
    }, function () { said.textContent = button.getAttribute('data-failed'); }, { timeout: 10000, maximumAge: 60000 });
  });
})();
