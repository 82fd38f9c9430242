"""Names of months in the languages of the pages that templ is tried on."""

_NAMES = """
january jan januar januari janvier janv enero ene janeiro gennaio gen styczeń stycznia января январь янв leden ledna ocak januarie tammikuu tammikuuta ianuarie január
february feb februar februari février févr fév febrero fevereiro fev febbraio luty lutego февраля февраль фев únor února şubat helmikuu helmikuuta februarie február
march mar märz maart mars marzo março marzec marca марта март březen března mart maaliskuu maaliskuuta martie március
april apr avril avr abril abr aprile kwiecień kwietnia апреля апрель апр duben dubna nisan huhtikuu huhtikuuta aprilie április
may mai mei mayo maio maggio mag maj maja мая май květen května mayıs toukokuu toukokuuta május
june jun juni juin junio junho giugno giu czerwiec czerwca июня июнь июн červen června haziran kesäkuu kesäkuuta iunie június
july jul juli juillet juil julio julho luglio lug lipiec lipca июля июль июл červenec července temmuz heinäkuu heinäkuuta iulie július
august aug augustus août agosto ago sierpień sierpnia августа август авг srpen srpna ağustos elokuu elokuuta augusti augusztus
september sep sept septembre septiembre setembro set settembre wrzesień września сентября сентябрь сен září eylül syyskuu syyskuuta septembrie szeptember
october oct oktober okt octobre octubre outubro out ottobre ott październik października октября октябрь окт říjen října ekim lokakuu lokakuuta octombrie október
november nov novembre noviembre novembro listopad listopada ноября ноябрь ноя listopadu kasım marraskuu marraskuuta noiembrie
december dec dezember dez décembre déc diciembre dic dezembro dicembre grudzień grudnia декабря декабрь дек prosinec prosince aralık joulukuu joulukuuta decembrie
"""

MONTHS = {
    name[:12]: number
    for number, names in enumerate(_NAMES.strip().splitlines(), 1)
    for name in names.split()
}
"""Numbers of months, 1 to 12, by their names in lower case, cut to 12 letters."""
