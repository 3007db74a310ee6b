<?php
// A back end as it was written for CORE PUSH: the host is another one, and the secret is new.
//
// It sends to everybody and to two users, and prints what became of it.

declare(strict_types=1);

// Was https://api.core-asp.com. The secret is its password: https://corepush:SECRET@push.example.com
$base = getenv('PUSH_BASE');
$configKey = getenv('PUSH_CONFIG_KEY');

/** Sends a form and returns the answer. */
function post(string $path, array $fields): array
{
    global $base, $configKey;
    $url = parse_url($base);
    $host = $url['scheme'] . '://' . $url['host'] . (isset($url['port']) ? ':' . $url['port'] : '');
    $headers = ['Content-Type: application/x-www-form-urlencoded'];
    if (isset($url['pass'])) {
        $headers[] = 'Authorization: Basic ' . base64_encode($url['user'] . ':' . $url['pass']);
    }
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => implode("\r\n", $headers),
        'content' => http_build_query(['config_key' => $configKey] + $fields),
        'timeout' => 30,
    ]]);
    $answer = json_decode(file_get_contents("$host/$path", false, $context), true, 16, JSON_THROW_ON_ERROR);
    if ($answer['status'] !== '0') {
        throw new RuntimeException("$path: " . ($answer['message'] ?? 'failed'));
    }
    return $answer;
}

/** Sends items and returns the key of the feedback. */
function push(array $items, string $path = 'iphone_push_request.php', array $fields = []): string
{
    $data = base64_encode(json_encode($items, JSON_UNESCAPED_UNICODE));
    return post($path, ['request_data' => $data] + $fields)['feedback_key'];
}

/** Waits until a push is sent and returns its feedback. */
function feedback(string $key, int $count): array
{
    for ($tries = 0; $tries < 300; $tries++) {
        $found = post('iphone_feedback.php', ['feedback_key' => $key])['results'];
        if ((int) $found['sent'] + (int) $found['failed'] >= $count) {
            return $found;
        }
        usleep(100_000);
    }
    throw new RuntimeException("push $key goes on and on");
}

$everybody = push([['app_user_id' => '9999999999', 'message' => '本日19時開演', 'url' => 'https://example.com/tonight']]);
$found = feedback($everybody, 2);
echo "to everybody: sent {$found['sent']}, failed {$found['failed']}, {$found['message']}\n";

$users = push([
    ['app_user_id' => 'u-1', 'message' => '山田様、お席は A-1 です', 'custom_key' => ['seat' => 'A-1']],
    ['app_user_id' => 'u-2', 'message' => '鈴木様、お席は B-2 です', 'custom_key' => ['seat' => 'B-2']],
], 'iphone_push_request_async.php');
echo 'to users: sent ', feedback($users, 2)['sent'], "\n";

$region = push([['app_user_id' => '9999999999', 'message' => '神奈川の皆様へ']], 'iphone_push_request.php', [
    'category_id' => json_encode(['1' => ['神奈川']], JSON_UNESCAPED_UNICODE),
]);
echo 'to a region: sent ', feedback($region, 1)['sent'], "\n";

$tomorrow = (new DateTime('+1 day', new DateTimeZone('Asia/Tokyo')))->format('Y-m-d') . ' 09:00:00';
$later = push(
    [['app_user_id' => '9999999999', 'message' => 'おはようございます']],
    'iphone_push_schedule.php',
    ['send_date' => $tomorrow]
);
$state = post('iphone_push_schedule_cancel.php', ['feedback_key' => $later])['results']['state'];
echo "tomorrow's: $state\n";

$history = post('notify_history.php', ['config_type' => '1'])['results'];
echo 'history: ', count($history), ', the last to all: ', $history[0]['message'], "\n";
try {
    push([['app_user_id' => 'u-1', 'message' => '']]);
} catch (RuntimeException $error) {
    echo 'error: ', $error->getMessage(), "\n";
}
