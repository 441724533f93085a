export const consent = {
  title: "Let a program use your tools",
  about: (name: string, host: string) => `${name} asks to use your tools here. The answer goes to ${host}.`,
  unnamed: "A program without a name",
  compare:
    "Let it in only if you have just started the sign-in in that program yourself. Anyone can give a program this name.",
  ownComputer:
    "The address is one of your own computer. Any program that runs there could be behind it, whatever it calls itself.",
  program: "Program",
  host: "Answers go to",
  ends: "Waits until",
  gets: "Gets",
  tools: "tokens for /mcp alone, of an hour, that it refreshes until you sign out or leave the company",
  notPerson:
    "Programs sign in for people. You are signed in with an admin key: sign out, and sign in with your company's account.",
  over: "This request has expired. Begin the sign-in again in the program.",
  approved: "The program is let in",
  denied: "The program is kept out",
  goOn: "Your browser goes back to it now. You may close this page when it has."
}
