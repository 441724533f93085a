import type { GatewayFile } from "./GatewayFile.ts"

/** Warnings about settings of `sign_in` that do nothing, one line each. */
export const signInWarnings = ({ sign_in }: Pick<GatewayFile, "sign_in">): ReadonlyArray<string> =>
  sign_in === undefined || sign_in.oidc !== undefined
    ? []
    : forPeople
        .filter((name) => sign_in[name] !== undefined)
        .map((name) => `sign_in.${name} does nothing without sign_in.oidc: it is for people who sign in`)

const forPeople = ["managed_settings", "recheck_hours"] as const
