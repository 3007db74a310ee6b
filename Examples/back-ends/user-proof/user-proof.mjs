// The proof that a person may use a Carillon User id, for a back end in Node.
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";

/** Signs a proof for the person who is logged in; `expires` is in seconds since 1970, a day ahead at most. */
export function userProof(identitySecret, app, user, expires) {
    const text = `${app}\n${user}\n${expires}`;
    return { expires, signature: createHmac("sha256", identitySecret).update(text).digest("base64url") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [app, user, expires = Math.floor(Date.now() / 1000) + 3600] = process.argv.slice(2);
    console.log(JSON.stringify(userProof(process.env.CARILLON_IDENTITY_SECRET, app, user, Number(expires))));
}
