import { tried } from "./places.ts"

/** The entry of a place in `gateway.yaml`, before the strict upstream. */
export const upstreamAt = (strict: string, place: string): Readonly<Record<string, unknown>> => {
  const { more, provider } = triedAt(place)
  return { provider, base_url: `${strict}/${place}`, api_key: "a-key-of-the-place", ...more }
}

export const routeAt = (place: string, model: string) => ({
  routes: [{ upstream: place, model, protocol: triedAt(place).protocol }]
})

const triedAt = (place: string) => {
  const one = tried[place]
  if (one === undefined) throw new Error(`no place is called ${place}`)
  return one
}
