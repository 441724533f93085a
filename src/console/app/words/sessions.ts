export const sessions = {
  title: "Sessions",
  count: (count: string) => `${count} signed in`,
  who: "Who",
  since: "Since",
  used: "Last used",
  ends: "Ends in",
  this: "this one",
  operator: "operator",
  revoke: "Revoke",
  revoked: "The session is revoked",
  change: "Change",
  hint: "A session lasts 12 hours at most. Revoking one signs its browser out at once."
}
