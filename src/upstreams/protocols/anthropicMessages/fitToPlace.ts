import { betasOfParts, takesSystemTurns } from "../../../config/providers/claudePlaces.ts"
import type { ClaudePart, ClaudePlace } from "../../../config/providers/claudePlaces.ts"
import type { Placeable } from "../../Endpoint.ts"
import type { Fit, FitOptions } from "../Protocol.ts"
import { mendBody } from "./mendBody.ts"
import { parts, withoutTools } from "./parts.ts"

const header = "anthropic-beta"
const version = "anthropic-version"

/**
 * A caller's own request with the betas, the fields and the version that the place takes for the model. The operator's
 * choice of betas wins over the place's. What hangs on a beta goes with it.
 *
 * @param place undefined if nothing is known of it: then it takes everything
 */
export const fitToPlace = (asked: Placeable, place: ClaudePlace | undefined, options: FitOptions): Fit => {
  const { betas: choice, isCount = false, model, refused } = options
  const written = asked.headers?.[header]
  const hasRules = place !== undefined && place.isOwn !== true
  if (!hasRules && (written === undefined || (choice === undefined && refused.size === 0))) {
    return { ...asked, adapted: nothing, betas: written === undefined ? nothing : namesIn(written) }
  }
  const all = written === undefined ? nothing : namesIn(written)
  const sent = new Set<string>()
  const chosen = new Set<string>()
  const adapted = new Set<string>()
  const isTaken = (name: string): boolean => {
    if (refused.has(name)) return false
    if (isCount && place?.counting?.includes(name) === false) return false
    return place?.takes === undefined ? place?.drops?.includes(name) !== true : place.takes[name]?.(model) === true
  }
  for (const name of all) {
    if (choice !== undefined && "allow" in choice) {
      if (choice.allow.includes(name)) chosen.add(name)
      else adapted.add(`${header}.${name}`)
      continue
    }
    const there = place?.renames?.[name] ?? name
    if (choice?.drop.includes(name) !== true && isTaken(there)) sent.add(there)
    else adapted.add(`${header}.${name}`)
  }
  for (const name of chosen) sent.add(name)
  let { body } = asked
  const drop = (part: ClaudePart): void => {
    const left = parts[part].without(body)
    if (left === body) return
    body = left
    const { name } = parts[part]
    if (name !== undefined) adapted.add(name)
  }
  const hangs = (part: ClaudePart, names: Iterable<string>): boolean => {
    for (const name of names) if (betasOfParts[part].some((start) => name.startsWith(start))) return true
    return false
  }
  for (const part of partNames(place?.needs)) {
    const beta = place?.needs?.[part]
    if (beta === undefined || hangs(part, sent) || parts[part].without(body) === body) continue
    if (isTaken(beta) && (choice === undefined || ("drop" in choice && !choice.drop.includes(beta)))) sent.add(beta)
    else drop(part)
  }
  for (const part of partNames(place?.lacks)) {
    if (place?.lacks?.[part]?.(model) === true && !hangs(part, chosen)) drop(part)
  }
  for (const part of partNames(betasOfParts)) {
    if (!hangs(part, all) || hangs(part, sent)) continue
    if (part !== "messages[].system" || !takesSystemTurns(model)) drop(part)
  }
  if (place?.lacksTools !== undefined) {
    const left = withoutTools(body, place.lacksTools)
    body = left.body
    for (const name of left.names) adapted.add(name)
  }
  if (hasRules) body = mendBody(body, model, (name) => adapted.add(name))
  const headers = { ...asked.headers }
  // A newer version only refuses more. Without one, the place's usual version is named.
  if (place?.versions?.[headers[version] ?? ""]?.(model) === false) delete headers[version]
  // Written as the caller wrote it if nothing changes.
  if (sent.size === 0) delete headers[header]
  else if (sent.size !== all.length || !all.every((name) => sent.has(name))) headers[header] = [...sent].join(",")
  return {
    body,
    headers: asked.headers === undefined && sent.size === 0 ? undefined : headers,
    adapted: [...adapted],
    betas: [...sent].filter((name) => !chosen.has(name))
  }
}

const namesIn = (written: string): ReadonlyArray<string> =>
  written
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

const partNames = (rows: Readonly<Partial<Record<ClaudePart, unknown>>> = {}): ReadonlyArray<ClaudePart> =>
  Object.keys(rows).filter((name): name is ClaudePart => Object.hasOwn(betasOfParts, name))

const nothing: ReadonlyArray<never> = []
