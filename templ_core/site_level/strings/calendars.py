"""Names of months and weekdays in six languages, as pages write them."""

MONTHS = {
    "en": "January February March April May June July August September October November December "
    "Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov Dec",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre "
    "noviembre diciembre ene feb abr jun jul sept oct nov dic",
    "de": "Januar Jänner Februar März April Mai Juni Juli August September Oktober November "
    "Dezember Jän Mär Mrz Okt Dez",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
    "janv févr fév avr juil sept oct nov déc",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre Gen feb apr mag giu lug ott nov dic",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro jan fev abr jun jul nov dez Mar Ago Set Out",
}
"""Names of months by language.

A name in lower case is also found with a capital and in capitals. One with a capital would mean
something else in lower case and is not found so.
"""

WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday "
    "Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun",
    "es": "lunes martes miércoles jueves viernes sábado domingo lun mié jue vie sáb Dom",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche Mer Jeu Ven Sam Dim",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica Gio Sab",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira Seg Ter Qua Qui Sex",
}
"""Names of weekdays by language, found in the same forms as those of months."""
