import type { Sources } from "./imports.ts"

/**
 * Uses of a part's shipped default outside the file that lists the parts, a line each. A service that brings one along,
 * in `dependencies` or by `Layer.provide`, ignores the part that `Gateway.layer` is given.
 *
 * @param parts the file with the defaults of all parts
 */
export const shippedElsewhere = (sources: Sources, parts: string): ReadonlyArray<string> => {
  const shipped = new Set(defaultsIn(sources.get(parts) ?? ""))
  return [...sources].flatMap(([file, source]) =>
    file === parts
      ? []
      : defaultsIn(source)
          .filter((service) => shipped.has(service))
          .map((service) => `${file}: ${service}.Default is a part of the gateway; ask for ${service} instead`)
  )
}

const defaultsIn = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\b(\w+)\.Default\b/g)].map(([, service = ""]) => service)
