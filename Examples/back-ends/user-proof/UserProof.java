import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The proof that a person may use a Carillon User id, for a back end in Java. */
public final class UserProof {
    /** Signs a proof for the person who is logged in; expires is in seconds since 1970, a day ahead at most. */
    static String signature(String identitySecret, String app, String user, long expires) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(identitySecret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] code = mac.doFinal((app + "\n" + user + "\n" + expires).getBytes(StandardCharsets.UTF_8));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(code);
    }

    public static void main(String[] arguments) throws GeneralSecurityException {
        String secret = System.getenv("CARILLON_IDENTITY_SECRET");
        long expires = arguments.length > 2 ? Long.parseLong(arguments[2]) : Instant.now().getEpochSecond() + 3600;
        String signature = signature(secret, arguments[0], arguments[1], expires);
        System.out.println("{\"expires\": " + expires + ", \"signature\": \"" + signature + "\"}");
    }
}
