import { roles } from "../../src/contract/callers/roles.ts"

/** The table of docs/people.md: what each role may do. */
export const roleBlocks = {
  roles: [
    "| role | may |",
    "|---|---|",
    ...Object.entries(roles).map(([role, { may }]) => `| \`${role}\` | ${may} |`)
  ].join("\n")
}
