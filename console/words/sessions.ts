export const sessions = {
  title: "Sessions",
  count: (count: string) => `${count} signed in`,
  who: "Who",
  role: "Role",
  since: "Since",
  used: "Last used",
  ends: "Ends in",
  this: "this one",
  operator: "operator",
  from: "From",
  revoke: "Revoke",
  revokeTitle: "Revoke this session?",
  revokeText: (who: string, address: string) =>
    `${who}, from ${address}: the browser is signed out at once, wherever it is. Signing in again stays possible.`,
  revokeSession: "Revoke session",
  more: "Older sessions",
  revoked: "The session is revoked",
  change: "Change",
  hint: "A session lasts 12 hours at most. Revoking one signs its browser out at once."
}
