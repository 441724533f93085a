import { usdText } from "../contract/text/usdText.ts"
import type { Money } from "../ledger/Money.ts"

/** An amount to read, in four significant digits; JSON has each one. */
export const moneyText = ({ nano_usd }: Money): string => usdText(nano_usd / 1e9)
