<?php
// The proof that a person may use a Carillon User id, for a back end in PHP.
declare(strict_types=1);

/** Signs a proof for the person who is logged in; $expires is in seconds since 1970, a day ahead at most. */
function user_proof(string $identitySecret, string $app, string $user, int $expires): array
{
    $code = hash_hmac('sha256', "$app\n$user\n$expires", $identitySecret, true);
    return ['expires' => $expires, 'signature' => rtrim(strtr(base64_encode($code), '+/', '-_'), '=')];
}

if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $expires = isset($argv[3]) ? (int) $argv[3] : time() + 3600;
    echo json_encode(user_proof((string) getenv('CARILLON_IDENTITY_SECRET'), $argv[1], $argv[2], $expires)), "\n";
}
