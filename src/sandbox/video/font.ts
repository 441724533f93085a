/**
 * Capital letters, digits and signs of 5 × 7 dots: seven base-32 digits per glyph, one per row, the highest bit on the
 * left.
 */
const glyphs: Readonly<Record<string, string>> = {
  A: "ehhvhhh",
  B: "uhhuhhu",
  C: "ehggghe",
  D: "uhhhhhu",
  E: "vgguggv",
  F: "vgguggg",
  G: "ehgnhhf",
  H: "hhhvhhh",
  I: "e44444e",
  J: "72222ic",
  K: "hikokih",
  L: "ggggggv",
  M: "hrllhhh",
  N: "hhpljhh",
  O: "ehhhhhe",
  P: "uhhuggg",
  Q: "ehhhlid",
  R: "uhhukih",
  S: "fgge11u",
  T: "v444444",
  U: "hhhhhhe",
  V: "hhhhha4",
  W: "hhhllla",
  X: "hha4ahh",
  Y: "hha4444",
  Z: "v1248gv",
  0: "ehjlphe",
  1: "4c4444e",
  2: "eh1248v",
  3: "v2421he",
  4: "26aiv22",
  5: "vgu11he",
  6: "68guhhe",
  7: "v124888",
  8: "ehhehhe",
  9: "ehhf12c",
  " ": "0000000",
  "!": "4444404",
  '"': "aaa0000",
  "#": "aavavaa",
  $: "4fke5u4",
  "%": "op248j3",
  "&": "cik8lid",
  "'": "c480000",
  "(": "2488842",
  ")": "8422248",
  "*": "04lel40",
  "+": "044v440",
  ",": "0000c48",
  "-": "000v000",
  ".": "00000cc",
  "/": "01248g0",
  ":": "0cc0cc0",
  ";": "0cc0c48",
  "<": "248g842",
  "=": "00v0v00",
  ">": "8421248",
  "?": "eh12404",
  "@": "eh1dlle",
  "[": "e88888e",
  "\\": "0g84210",
  "]": "e22222e",
  "^": "4ah0000",
  _: "000000v",
  "`": "8420000",
  "{": "2448442",
  "|": "4444444",
  "}": "8442448",
  "~": "008l200"
}

/** A box for characters that the font lacks. */
const unknown = "vhhhhhv"

const rows = (digits: string): ReadonlyArray<number> => Array.from(digits, (digit) => Number.parseInt(digit, 32))
const dots = new Map(Object.entries(glyphs).map(([letter, digits]) => [letter, rows(digits)]))
const box = rows(unknown)

export const glyphWidth = 5
export const glyphHeight = 7

/** The seven rows of a character's glyph. Lower case becomes upper case without accents. */
export const glyph = (character: string): ReadonlyArray<number> => dots.get(plain(character)) ?? box

const plain = (character: string): string => character.normalize("NFD").replaceAll(/\p{M}/gu, "").toUpperCase()
