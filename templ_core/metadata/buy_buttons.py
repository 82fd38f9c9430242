"""How the buttons by which shops sell a product begin, in lower case."""

NO_OFFERS = ("sold out", "out of stock")
"""What a button says of a product that is not to be had."""
BUTTONS = (
    "add to cart", "add to bag", "add to basket", "add to trolley", "added to cart", "buy now", "buy it now", *NO_OFFERS,
    "preorder", "pre-order", "in den warenkorb", "in den einkaufswagen", "ajouter au panier", "añadir al carrito",
    "agregar al carrito", "adicionar ao carrinho", "comprar", "aggiungi al carrello", "in winkelwagen", "in winkelmand",
    "do koszyka", "dodaj do koszyka", "do košíku", "kosárba", "lägg i varukorg", "læg i kurv", "thêm vào giỏ", "カートに入れる",
    "加入购物车", "в корзину",
)  # fmt: skip
BUTTON_CHARS_MAX = 40
"""Characters of the longest text that is a button."""
