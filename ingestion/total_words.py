"""Is a text the label of a total, such as “Summe”, “Grand total:” or “Total 2025 (EUR)”?

Every word of it must be one that such labels are made of, and one of them must mean a total: “Total Energies”
is a name.
"""

import re
import unicodedata

from ingestion.reading.loosely import ZERO_WIDTH

LONGEST_LABEL = 60
# Languages with their own letters stand last.
TOTAL_WORDS = """
total totals subtotal subtotals sum sums
summe summen gesamt gesamtsumme gesamtsummen gesamtbetrag gesamtergebnis zwischensumme zwischensummen
teilsumme endsumme endbetrag insgesamt teilergebnis summa totalsumma totalt delsumma
totaux totale totali soustotal somme somma sommes subtotale totales suma sumas
totaal eindtotaal subtotaal som soma subtotais totais
razem ogółem łącznie celkem součet mezisoučet spolu súčet ukupno skupaj
yhteensä összesen mindösszesen toplam kokku kopā
итого всего разом усього всього сума сумма общо σύνολο
合計 小計 総計 合计 总计 小计 합계 총계
"""
WORDS_AROUND = """
grand general général généraux générale generale generali geral genel sub sous overall all net gross netto
brutto amount amounts montant betrag importe importo value values wert count rows the of in der die des du
de la le les por per für for excl incl inkl exkl vat mwst ust tva iva ttc ht und and et y e
eur usd chf gbp pln czk sek nok dkk euro euros
"""
TOTALS, AROUND = frozenset(TOTAL_WORDS.split()), frozenset(WORDS_AROUND.split())
WORD = re.compile(r"[^\W\d_]+")
SIGNS = frozenset("Σ∑")


def is_label(text: str) -> bool:
    """The look of the text decides nothing: case, punctuation, numbers and signs beside the words."""
    if len(text) > LONGEST_LABEL:
        return False
    if text.strip(" :=") in SIGNS:
        return True
    plain = ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).casefold()
    words = WORD.findall(plain.replace("sub-total", "subtotal").replace("sous-total", "soustotal"))
    return any(word in TOTALS for word in words) and all(word in TOTALS or word in AROUND for word in words)
