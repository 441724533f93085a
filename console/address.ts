const told = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ""

/** The path of the address for clients, which a proxy takes off: `/gw`; an empty text without one. */
export const basePath = told("base-path")

/** The address of this page. */
export const ownUrl = location.origin + basePath

/** The gateway's address for clients: that of this page, unless operators have one of their own. */
export const gatewayUrl = told("gateway-url") || ownUrl

/** True at a public address without the console: people only let programs in there, and connect accounts. */
export const isForPeople = told("pages") === "person"
