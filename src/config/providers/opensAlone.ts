import type { ProviderRow } from "./ProviderRow.ts"

/** Variables that open more than models: of clouds, and of accounts with code and data. */
const openMore = /^(?:AWS|AZURE|GITHUB|GOOGLE|HF)_/

/**
 * True if the provider's variable, when it is set, opens the provider for a gateway without a file: it means nothing but
 * a key to models.
 */
export const opensAlone = ({ auth, variable }: ProviderRow): boolean =>
  auth === "key" && variable !== undefined && variable.endsWith("_API_KEY") && !openMore.test(variable)
