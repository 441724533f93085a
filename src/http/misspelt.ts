/**
 * The endpoint's path of a request whose client put the version into a base URL that has it already, or left it out.
 * Such paths are in no contract.
 */
export const endpointPath = (path: string): string => {
  const twice = versions.find((version) => path.startsWith(`${version}${version}/`))
  if (twice !== undefined) return path.slice(twice.length)
  return unversioned.test(path) ? `/v1${path}` : path
}

/** The other paths at which an endpoint is served: those of which `endpointPath` is its own. */
export const otherPaths = (path: string): ReadonlyArray<string> => {
  const version = versions.find((version) => path.startsWith(`${version}/`))
  if (version === undefined) return []
  const bare = path.slice(version.length)
  return endpointPath(bare) === path ? [version + path, bare] : [version + path]
}

const versions = ["/v1", "/api/v3"]

/** Paths of the official clients, of OpenAI's without the version that their base URL has. */
const unversioned = /^\/(?:chat\/completions|responses|messages|embeddings|models)(?:\/|$)/
