"""XML of documents, made at random; also for tests/server/server_test.py."""

ODF = "text:p text:h text:span text:a text:note text:s text:tab draw:frame"
OOXML = (
    "w:p w:p w:r w:r w:t w:t w:rPr w:b w:hyperlink w:sdt w:sdtPr w:sdtContent w:tab w:br "
    "w:pict w:pPr w:ins w:del a:p a:r a:t a:endParaRPr x:y w:noBreakHyphen"
)
LOOKS = ["", "<w:rPr><w:b/></w:rPr>", '<a:rPr lang="en"/>', "<w:rPr><w:lang/></w:rPr>"]
TEXT = ["abc ", "12", "&amp;", "<!-- c -->", "<![CDATA[ab<]]>", "<?pi x?>", "\U0001f600"]


def element(draw, names, depth=0):
    name = draw.choice(names.split())
    if name == "w:r" and draw.random() < 0.3:
        kind = draw.choice(["begin", "separate", "end"])
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/><w:instrText>HYPERLINK</w:instrText></w:r>'
    if depth > 9 or draw.random() < 0.2:
        return f'<{name} a="x>y"/>'
    parts = [
        element(draw, names, depth + 1) if draw.random() < 0.5 else draw.choice(TEXT)
        for _ in range(draw.randrange(5))
    ]
    if name in ("w:p", "a:p") and draw.random() < 0.8:  # Or it seldom has words.
        kind = name[0]
        words = f"<{kind}:r>{draw.choice(LOOKS)}<{kind}:t>{draw.choice(TEXT)}</{kind}:t></{kind}:r>"
        parts.insert(draw.randrange(len(parts) + 1), words)
    return f"<{name}>{''.join(parts)}</{name}>"
