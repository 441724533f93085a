import type { Placeable } from "../../Endpoint.ts"

const header = "anthropic-version"
const firstVersion = "2023-06-01"

/**
 * The version for the body, at places that want it there: the caller's, unless it names the first one or none.
 *
 * @param usual the version that the place documents
 */
export const bodyVersion = ({ headers }: Pick<Placeable, "headers">, usual: string) => {
  const { [header]: asked, ...others } = headers ?? {}
  return { version: asked === undefined || asked === firstVersion ? usual : asked, others }
}
