"""Names of months in the languages of most pages, wide and abbreviated, as the CLDR has them, and some that pages write besides.

`tests/templ_core/metadata/test_date_forms.py` compares them with the CLDR, which comes with babel.
"""

_NAMES = {
    1: (
        "january jan januar janvier janv enero ene gennaio gen janeiro januari stycznia sty "
        "styczeń января янв январь ledna led leden ocak oca tammikuuta tammi tammikuu ianuarie "
        "ian január ιανουαρίου ιαν ιανουάριοσ січня січ січень януари яну јануар јан siječnja "
        "sij siječanj januára sausio saus sausis janvāris jaanuar jaan gener xaneiro xan "
        "urtarrila urt มกราคม ม.ค يناير جانفي ינואר ינו׳ जनवरी जन॰ জানুয়ারী জানু जानेवारी जाने "
        "ஜனவரி ஜன జనవరి జన جنوری ژانویهٔ ژانویه იანვარი იან հունվարի հնվ հունվար yanvar yan "
        "қаңтар қаң студзеня сту студзень јануари janar janúar eanáir ean ionawr ion januarie "
        "jänner jän ianuar "
        "januara јануара januarja janvārī ιανουαριου জানুয়ারি كانونالثاني "
    ),
    2: (
        "february feb februar février févr febrero febbraio fevereiro fev februari lutego lut "
        "luty февраля февр февраль února úno únor şubat şub helmikuuta helmi helmikuu februarie "
        "február febr φεβρουαρίου φεβ φεβρουάριοσ лютого лют лютий февруари фев фебруар феб "
        "veljače velj veljača februára vasario vas vasaris februāris veebruar veebr febrer "
        "febreiro otsaila ots กุมภาพันธ์ ก.พ فبراير شباط فيفري פברואר פבר׳ फ़रवरी फ़र॰ "
        "ফেব্রুয়ারী ফেব फेब्रुवारी फेब्रु फेब्रुअरी பிப்ரவரி பிப் ఫిబ్రవరి ఫిబ్ర فروری فوریهٔ "
        "فوریه თებერვალი თებ փետրվարի փտվ փետրվար fevral ақпан ақп лютага люты shkurt shk "
        "febrúar feabhra feabh chwefror chwef chw pebrero peb fév "
        "februara фебруара februarja februārī φεβρουαριου feber fevrier फरवरी ফেব্রুয়ারি "
    ),
    3: (
        "march mar märz mär mars marzo março maart mrt marca marzec марта мар март března bře "
        "březen mart maaliskuuta maalis maaliskuu martie marts március márc μαρτίου μαρ μάρτιοσ "
        "μάρ березня бер березень ožujka ožu ožujak marec kovo kov kovas märts març martxoa "
        "maret mac มีนาคม มี.ค مارس آذار מרץ मार्च মার্চ மார்ச் மார் మార్చి مارچ მარტი მარ "
        "մարտի մրտ մարտ наурыз нау сакавіка сак сакавік márta mawrth maw machi marso mrz "
        "marta martā μαρτιου "
    ),
    4: (
        "april apr avril avr abril abr aprile kwietnia kwi kwiecień апреля апр апрель dubna dub "
        "duben nisan nis huhtikuuta huhti huhtikuu aprilie április ápr απριλίου απρ απρίλιοσ "
        "квітня квіт квітень април travnja tra travanj apríla apríl balandžio bal balandis "
        "aprīlis aprill d’abril d’abr apirila api เมษายน เม.ย أبريل نيسان أفريل إبريل אפריל "
        "אפר׳ अप्रैल এপ্রিল এপ্রি एप्रिल एप्रि अप्रिल ஏப்ரல் ஏப் ఏప్రిల్ ఏప్రి اپریل آوریل "
        "აპრილი აპრ ապրիլի ապր ապրիլ aprel сәуір сәу красавіка кра красавік prill pri aibreán "
        "aib ebrill ebr aprili "
        "aprila априла aprīlī απριλιου кві "
    ),
    5: (
        "may mai mayo maggio mag maio mei maja maj мая май května kvě květen mayıs toukokuuta "
        "touko toukokuu május máj μαΐου μαΐ μάιοσ μάι травня трав травень мај svibnja svi "
        "svibanj mája gegužės geg gegužė maijs maig maiatza พฤษภาคม พ.ค مايو أيار ماي מאי मई মে "
        "मे மே మే مئی مهٔ مه მაისი მაი մայիսի մյս մայիս мамыр мам maí bealtaine beal "
        "маја maijā μαϊου тра "
    ),
    6: (
        "june jun juni juin junio giugno giu junho czerwca cze czerwiec июня июн июнь června "
        "čvn červen haziran haz kesäkuuta kesä kesäkuu iunie iun június jún ιουνίου ιουν "
        "ιούνιοσ ιούν червня черв червень юни јун lipnja lipanj junij júna birželio birž "
        "birželis jūnijs jūn juuni juny xuño ekaina eka มิถุนายน มิ.ย يونيو حزيران جوان יוני "
        "जून জুন जुन ஜூன் జూన్ جون ژوئن ივნისი ივნ հունիսի հնս հունիս iyun iyn маусым мау "
        "чэрвеня чэр чэрвень јуни qershor qer júní meitheamh meith mehefin meh junie hunyo hun "
        "juna јуна junija jūnijā ιουνιου чер "
    ),
    7: (
        "july jul juli juillet juil julio luglio lug julho lipca lip lipiec июля июл июль "
        "července čvc červenec temmuz tem heinäkuuta heinä heinäkuu iulie iul július júl "
        "ιουλίου ιουλ ιούλιοσ ιούλ липня лип липень юли јул srpnja srpanj julij júla liepos "
        "liep liepa jūlijs jūl juuli juliol xullo xul uztaila uzt julai กรกฎาคม ก.ค يوليو تموز "
        "جويلية يوليوز יולי जुलाई जुल॰ জুলাই জুল जुलै ஜூலை జులై جولائی ژوئیهٔ ژوئیه ივლისი ივლ "
        "հուլիսի հլս հուլիս iyul iyl шілде шіл ліпеня ліп ліпень јули korrik korr júlí iúil "
        "gorffennaf gorff gor julie hulyo hul juill "
        "jula јула julija jūlijā ιουλιου "
    ),
    8: (
        "august aug août agosto ago augustus sierpnia sie sierpień августа авг август srpna srp "
        "srpen ağustos ağu elokuuta elo elokuu augusti augusztus αυγούστου αυγ αύγουστοσ αύγ "
        "серпня серп серпень avgust avg kolovoza kol kolovoz augusta rugpjūčio rugp rugpjūtis "
        "augusts d’agost d’ag agost ag abuztua abu agustus agu ogos ogo สิงหาคม ส.ค أغسطس آب "
        "أوت غشت أغشت אוגוסט אוג׳ अगस्त अग॰ আগস্ট আগ ऑगस्ट ऑग अगस्ट ஆகஸ்ட் ஆக ఆగస్టు ఆగ اگست "
        "اوت აგვისტო აგვ օգոստոսի օգս օգոստոս avqust avq тамыз там жніўня жні жнівень gusht "
        "gush ágúst ágú lúnasa lún awst agosti "
        "avgusta augustā αυγουστου сер aout "
    ),
    9: (
        "september sep sept septembre septiembre settembre set setembro września wrz wrzesień "
        "сентября сент сентябрь září zář eylül eyl syyskuuta syys syyskuu septembrie szeptember "
        "szept σεπτεμβρίου σεπ σεπτέμβριοσ вересня вер вересень септември сеп септембар "
        "septembar rujna ruj rujan septembra rugsėjo rugs rugsėjis septembris setembre iraila "
        "ira กันยายน ก.ย سبتمبر أيلول شتنبر شتمبر ספטמבר ספט׳ सितंबर सित॰ সেপ্টেম্বর সেপ "
        "सप्टेंबर सप्टें सेप्टेम्बर செப்டம்பர் செப் సెప్టెంబర్ సెప్టెం ستمبر سپتامبر სექტემბერი "
        "სექ սեպտեմբերի սեպ սեպտեմբեր sentyabr sen қыркүйек қыр верасня верасень shtator sht "
        "mfómh medi septemba setyembre сен "
        "септембра septembrī σεπτεμβριου सितम्बर "
    ),
    10: (
        "october oct oktober okt octobre octubre ottobre ott outubro out października paź "
        "październik октября окт октябрь října říj říjen ekim eki lokakuuta loka lokakuu "
        "octombrie október οκτωβρίου οκτ οκτώβριοσ жовтня жовт жовтень октомври октобар oktobar "
        "októbra spalio spal spalis oktobris oktoober d’octubre d’oct urria urr ตุลาคม ต.ค "
        "أكتوبر אוקטובר אוק׳ अक्टूबर अक्टू॰ অক্টোবর অক্টো ऑक्टोबर ऑक्टो अक्टोबर அக்டோபர் அக் "
        "అక్టోబర్ అక్టో اکتوبر اکتبر ოქტომბერი ოქტ հոկտեմբերի հոկ հոկտեմբեր oktyabr қазан қаз "
        "кастрычніка кас кастрычнік tetor tet dfómh hydref hyd oktoba oktubre "
        "oktobra октобра oktobrī οκτωβριου жов अक्तूबर تشرينالأول تشرينالاول "
    ),
    11: (
        "november nov novembre noviembre novembro listopada lis listopad ноября нояб ноябрь "
        "listopadu kasım kas marraskuuta marras marraskuu noiembrie νοεμβρίου νοε νοέμβριοσ νοέ "
        "листопада лист листопад ноември ное новембар нов novembar studenoga stu studeni "
        "novembra lapkričio lapkr lapkritis novembris azaroa aza พฤศจิกายน พ.ย نوفمبر نونبر "
        "נובמבר נוב׳ नवंबर नव॰ নভেম্বর নভে नोव्हेंबर नोव्हें नोभेम्बर நவம்பர் நவ నవంబర్ నవం "
        "نومبر نوامبر ნოემბერი ნოე նոյեմբերի նոյ նոյեմբեր noyabr noy қараша қар лістапада ліс "
        "лістапад nëntor nën nóvember nóv samhain samh tachwedd tach novemba nobyembre nob ноя "
        "новембра novembrī νοεμβριου лис नवम्बर studenog تشرينالثاني "
    ),
    12: (
        "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia gru "
        "grudzień декабря дек декабрь prosince pro prosinec aralık ara joulukuuta joulu "
        "joulukuu decembrie desember des δεκεμβρίου δεκ δεκέμβριοσ грудня груд грудень декември "
        "децембар дец decembar prosinca prosinac decembra gruodžio gruod gruodis decembris "
        "detsember dets desembre decembro abendua abe disember dis ธันวาคม ธ.ค ديسمبر دجنبر "
        "دجمبر דצמבר דצמ׳ दिसंबर दिस॰ ডিসেম্বর ডিসে डिसेंबर डिसें डिसेम्बर டிசம்பர் டிச "
        "డిసెంబర్ డిసెం دسمبر دسامبر დეკემბერი დეკ դեկտեմբերի դեկ դեկտեմբեր dekabr dek "
        "желтоқсан жел снежня сне снежань dhjetor dhj nollaig noll rhagfyr rhag desemba "
        "disyembre "
        "децембра decembrī δεκεμβριου гру दिसम्बर decembre كانونالأول كانونالاول "
    ),
}
MONTHS = {name: number for number, names in _NAMES.items() for name in names.split()}
"""Numbers of months, 1 to 12, by their names in lower case, without a point at the end."""
MONTHS_OF = {"hr": {"listopad": 10, "listopada": 10, "lis": 10, "lip": 6, "srp": 7}}
"""Names that mean another month in a language than in the others, by the language."""
