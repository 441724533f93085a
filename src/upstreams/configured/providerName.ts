import { providerAt, providerRow } from "../../config/providers/providers.ts"

/** The provider's name in the conventions, by the upstream's host; otherwise the upstream's own name. */
export const providerName = ({ baseUrl, name }: { readonly baseUrl: string; readonly name: string }): string => {
  const known = providerAt(baseUrl)
  return (known === undefined ? undefined : providerRow(known).telemetry) ?? name
}
