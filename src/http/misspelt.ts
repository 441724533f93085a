import { allFamilies, families, familyOf, isCalled } from "../contract/kinds.ts"

/**
 * The endpoint's path of a request whose client put the version into a base URL that has it already, left it out, or
 * has a path of its own. Such paths are in no contract.
 */
export const endpointPath = (path: string): string => {
  const usual = usualPaths.get(path)
  if (usual !== undefined) return usual
  const twice = versions.find((version) => path.startsWith(`${version}${version}/`))
  if (twice !== undefined) return path.slice(twice.length)
  return unversioned.some((one) => path === one || path.startsWith(`${one}/`)) ? `/v1${path}` : path
}

/** The other paths at which an endpoint is served: those of which `endpointPath` is its own. */
export const otherPaths = (path: string): ReadonlyArray<string> => {
  const version = versions.find((version) => path.startsWith(`${version}/`))
  if (version === undefined) return []
  const bare = path.slice(version.length)
  const own = [...usualPaths].flatMap(([one, usual]) => (usual === path ? [one] : []))
  return endpointPath(bare) === path ? [version + path, bare, ...own] : [version + path, ...own]
}

/** The usual paths by those of clients. */
const usualPaths = new Map(
  allFamilies.map(familyOf).flatMap(({ clientPaths = [], paths: [usual] }) => clientPaths.map((one) => [one, usual]))
)

const versions = ["/v1", "/api/v3"]

/** Paths of the official clients, of OpenAI's without the version that their base URL has. */
const unversioned = [...allFamilies.filter(isCalled).map((family) => families[family].paths[0]), "/v1/models"].map(
  (path) => path.slice("/v1".length)
)
