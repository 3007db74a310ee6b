extension RouteTableTests {
    /// Path, method, who may call, and how the App of a call with an API key is found.
    static let expected = """
        /health GET | none: whether the process lives | -
        /metrics GET | this machine, or API key: read | none, key of the server
        /coimotion/openapi.yaml GET | none: the description | -
        /{appcode}/core/user/profile GET | coimotion: app key | -
        /{appcode}/core/user/profile POST | coimotion: app key | -
        /{appcode}/core/user/login POST | coimotion: app key | -
        /{appcode}/core/user/register POST | coimotion: app key | -
        /{appcode}/core/user/activate/{id} POST | coimotion: app key | -
        /{appcode}/core/user/logout POST | coimotion: app key | -
        /{appcode}/core/user/updPasswd POST | coimotion: app key | -
        /{appcode}/twShow/show/attach/{id} POST | coimotion: token | -
        /{appcode}/twCtBus/busStop/attach/{id} POST | coimotion: token | -
        /{appcode}/twCtBus/busRoute/attach/{id} POST | coimotion: token | -
        /{appcode}/cms/page/attach/{id} POST | coimotion: token | -
        /{appcode}/cms/geoLoc/attach/{id} POST | coimotion: token | -
        /{appcode}/cms/att/node/{id} GET | coimotion: token or app key | -
        /{appcode}/twShow/show/catList GET | coimotion: app key | -
        /{appcode}/twShow/show/catList POST | coimotion: app key | -
        /{appcode}/twShow/show/byCity/{id} GET | coimotion: app key | -
        /{appcode}/twShow/show/byCity/{id} POST | coimotion: app key | -
        /{appcode}/twShow/show/byLoc GET | coimotion: app key | -
        /{appcode}/twShow/show/byLoc POST | coimotion: app key | -
        /{appcode}/twShow/show/info/{id} GET | coimotion: app key | -
        /{appcode}/twShow/show/info/{id} POST | coimotion: app key | -
        /{appcode}/twCtBus/busStop/search GET | coimotion: app key | -
        /{appcode}/twCtBus/busStop/search POST | coimotion: app key | -
        /{appcode}/twCtBus/busStop/routes/{id} GET | coimotion: app key | -
        /{appcode}/twCtBus/busStop/routes/{id} POST | coimotion: app key | -
        /{appcode}/twCtBus/busRoute/next/{id} GET | coimotion: app key | -
        /{appcode}/twCtBus/busRoute/next/{id} POST | coimotion: app key | -
        /corepush/openapi.yaml GET | none: the description | -
        /android_feedback.php POST | corepush: secret | -
        /android_push_request.php POST | corepush: secret | -
        /android_push_request_async.php POST | corepush: secret | -
        /iphone_certificate_expiry.php POST | corepush: secret | -
        /iphone_feedback.php POST | corepush: secret | -
        /iphone_push_distribution.php POST | corepush: secret | -
        /iphone_push_distribution_modify.php POST | corepush: secret | -
        /iphone_push_distribution_status.php POST | corepush: secret | -
        /iphone_push_request.php POST | corepush: secret | -
        /iphone_push_request_async.php POST | corepush: secret | -
        /iphone_push_request_sandbox.php POST | corepush: secret | -
        /iphone_push_schedule.php POST | corepush: secret | -
        /iphone_push_schedule_cancel.php POST | corepush: secret | -
        /iphone_push_schedule_status.php POST | corepush: secret | -
        /iphone_tokens_regist.php POST | corepush: secret | -
        /user_attribute_regist.php POST | corepush: secret | -
        /android_token_regist.php POST | corepush: config key | -
        /iphone_token_regist.php POST | corepush: config key | -
        /launch_regist.php POST | corepush: config key | -
        /notify_history.php POST | corepush: config key | -
        /research_history.php POST | corepush: config key | -
        /push/openapi.yaml GET | none: the description | -
        /push/{version}/appkeys/{appkey}/tokens POST | toast: app key | -
        /push/{version}/appkeys/{appkey}/tokens-by-cursor GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tokens/{token} GET | toast: app key | -
        /push/{version}/appkeys/{appkey}/tokens GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tokens/{token} DELETE | toast: app key | -
        /push/{version}/appkeys/{appkey}/invalid-tokens GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags POST | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags/{tag} GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags/{tag} PUT | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags/{tag} DELETE | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags/{tag}/uids POST | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags/{tag}/uids GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/tags/{tag}/uids DELETE | toast: secret key | -
        /push/{version}/appkeys/{appkey}/uids POST | toast: secret key | -
        /push/{version}/appkeys/{appkey}/uids/{user} GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/uids DELETE | toast: secret key | -
        /push/{version}/appkeys/{appkey}/uids/{user}/tag-ids POST | toast: app key | -
        /push/{version}/appkeys/{appkey}/uids/{user}/tag-ids GET | toast: app key | -
        /push/{version}/appkeys/{appkey}/uids/{user}/tag-ids PUT | toast: app key | -
        /push/{version}/appkeys/{appkey}/uids/{user}/tag-ids DELETE | toast: app key | -
        /push/{version}/appkeys/{appkey}/messages POST | toast: secret key | -
        /push/{version}/appkeys/{appkey}/messages GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/messages/{message} GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/message-errors GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/logs/message GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/schedules POST | toast: secret key | -
        /push/{version}/appkeys/{appkey}/reservations POST | toast: secret key | -
        /push/{version}/appkeys/{appkey}/reservations GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/reservations/{reservation} GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/reservations/{reservation}/messages GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/reservations/{reservation} PUT | toast: secret key | -
        /push/{version}/appkeys/{appkey}/reservations DELETE | toast: secret key | -
        /push/{version}/appkeys/{appkey}/stats GET | toast: secret key | -
        /push/{version}/appkeys/{appkey}/stats/total GET | toast: secret key | -
        /ready GET | none: whether the node can work | -
        /v1/approvals GET | API key: read | query, or all
        /v1/apps GET | API key: read | key
        /v1/apps POST | API key: admin | none, key of the server
        /v1/apps/{app} DELETE | API key: admin | path
        /v1/apps/{app} GET | API key: read | path
        /v1/apps/{app} PATCH | API key: admin | path
        /v1/apps/{app}/former-keys/{kind} DELETE | API key: admin | path
        /v1/apps/{app}/push-key/simulator POST | API key: admin | path
        /v1/apps/{app}/pause-sending POST | API key: send | path
        /v1/apps/{app}/push-key GET | API key: read | path
        /v1/apps/{app}/push-key PUT | API key: admin | path
        /v1/apps/{app}/push-key/candidate DELETE | API key: admin | path
        /v1/apps/{app}/push-key/candidate POST | API key: admin | path
        /v1/apps/{app}/push-key/check POST | API key: admin | path
        /v1/apps/{app}/resume-sending POST | API key: send | path
        /v1/apps/{app}/retention GET | API key: read | path
        /v1/apps/{app}/retention PUT | API key: admin | path
        /v1/apps/{app}/rotate-keys POST | API key: admin | path
        /v1/apps/{app}/user-messages GET | API key: read | path
        /v1/apps/{app}/user-messages PUT | API key: admin | path
        /v1/accounts GET | API key: read | query
        /v1/accounts POST | API key: admin | query
        /v1/accounts/guest POST | App key | -
        /v1/accounts/me GET | Account | -
        /v1/accounts/me/credentials PUT | Account | -
        /v1/accounts/me/delete POST | Account | -
        /v1/accounts/me/password PUT | Account | -
        /v1/accounts/me/sign-out POST | Account | -
        /v1/accounts/sign-in POST | App key | -
        /v1/accounts/sign-up POST | App key | -
        /v1/apps/{app}/accounts GET | API key: read | path
        /v1/apps/{app}/accounts PUT | API key: admin | path
        /v1/apps/{app}/vendor-apis GET | API key: read | path
        /v1/apps/{app}/vendor-apis/{api} DELETE | API key: admin | path
        /v1/apps/{app}/vendor-apis/{api} PUT | API key: admin | path
        /v1/audience-estimate POST | API key: read | query
        /v1/audience-parse POST | API key: read | query, or all
        /v1/audiences GET | API key: read | query, or all
        /v1/audiences POST | API key: admin | query
        /v1/audiences/{audience} DELETE | API key: admin | key
        /v1/audiences/{audience} GET | API key: read | key
        /v1/audiences/{audience} PATCH | API key: admin | key
        /v1/audiences/{audience}/count POST | API key: read | key
        /v1/audit GET | API key: admin | query, or all, deleted ones too
        /v1/campaign-reach POST | API key: read | query
        /v1/campaigns GET | API key: read | query, or all
        /v1/campaigns POST | API key: send | query
        /v1/campaigns/{campaign} DELETE | API key: send | key
        /v1/campaigns/{campaign} GET | API key: read | key
        /v1/campaigns/{campaign} PATCH | API key: send | key
        /v1/campaigns/{campaign}/approval/refuse POST | API key: send | key
        /v1/campaigns/{campaign}/approval/withdraw POST | API key: send | key
        /v1/campaigns/{campaign}/cancel POST | API key: send | key
        /v1/campaigns/{campaign}/deliveries GET | API key: read | key
        /v1/campaigns/{campaign}/failures GET | API key: read | key
        /v1/campaigns/{campaign}/funnel GET | API key: read | key
        /v1/campaigns/{campaign}/occurrences GET | API key: read | key
        /v1/campaigns/{campaign}/occurrences/{occurrence}/cancel POST | API key: send | key
        /v1/campaigns/{campaign}/pause POST | API key: send | key
        /v1/campaigns/{campaign}/progress GET | none: a ticket | -
        /v1/campaigns/{campaign}/progress-ticket POST | API key: read | key
        /v1/campaigns/{campaign}/resume POST | API key: send | key
        /v1/campaigns/{campaign}/send POST | API key: send | key
        /v1/campaigns/{campaign}/send-now POST | API key: send | key
        /v1/campaigns/{campaign}/statistics GET | API key: read | key
        /v1/campaigns/{campaign}/undo POST | API key: send | key
        /v1/categories DELETE | API key: admin | query
        /v1/categories GET | API key: read | query
        /v1/categories POST | API key: admin | query
        /v1/consents/ads GET | API key: read | query
        /v1/content-sets GET | API key: read | query
        /v1/content-sets/{set} DELETE | API key: admin | query
        /v1/content-sets/{set} GET | API key: read | query
        /v1/content-sets/{set} PUT | API key: admin | query
        /v1/content-sets/{set}/alerts/{table} DELETE | API key: admin | query
        /v1/content-sets/{set}/alerts/{table} GET | API key: read | query
        /v1/content-sets/{set}/alerts/{table} PUT | API key: admin | query
        /v1/content-sets/{set}/arrivals GET | App key, or API key: read | query
        /v1/content-sets/{set}/attachments GET | API key: read | query
        /v1/content-sets/{set}/attachments/{attachment} GET | API key: read | query
        /v1/content-sets/{set}/attachments/{attachment} DELETE | API key: admin | query
        /v1/content-sets/{set}/follows GET | API key: read | query
        /v1/content-sets/{set}/follows/{follow} DELETE | API key: send | query
        /v1/content-sets/{set}/follows/{follow} GET | API key: read | query
        /v1/content-sets/{set}/follows/{follow} PUT | API key: send | query
        /v1/content-sets/{set}/imports GET | API key: read | query
        /v1/content-sets/{set}/imports POST | API key: admin | query
        /v1/content-sets/{set}/rows GET | App key, or API key: read | query
        /v1/content-sets/{set}/sources GET | API key: read | query
        /v1/content-sets/{set}/sources/{source} DELETE | API key: admin | query
        /v1/content-sets/{set}/sources/{source} GET | API key: read | query
        /v1/content-sets/{set}/sources/{source} PUT | API key: admin | query
        /v1/content-sets/{set}/sources/{source}/fetch POST | API key: admin | query
        /v1/device-export GET | API key: admin | query
        /v1/device-import POST | API key: admin | query
        /v1/devices GET | API key: read | query
        /v1/devices/{device} DELETE | Device, or API key: admin | query
        /v1/devices/{device} GET | Device, or API key: read | query
        /v1/devices/{device} PATCH | Device to be registered | -
        /v1/devices/{device} PUT | Device to be registered | -
        /v1/devices/{device}/attributes GET | Device | -
        /v1/devices/{device}/attributes PATCH | Device | -
        /v1/devices/{device}/consents GET | API key: read | query
        /v1/devices/{device}/content-sets/{set}/follows GET | Device | -
        /v1/devices/{device}/content-sets/{set}/follows/{follow} DELETE | Device | -
        /v1/devices/{device}/content-sets/{set}/follows/{follow} PUT | Device | -
        /v1/devices/{device}/forget POST | Device | -
        /v1/devices/{device}/inbox GET | Device | -
        /v1/devices/{device}/inbox/read POST | Device | -
        /v1/devices/{device}/messages POST | Device | -
        /v1/devices/{device}/tags DELETE | Device | -
        /v1/devices/{device}/tags GET | Device | -
        /v1/devices/{device}/tags POST | Device | -
        /v1/devices/{device}/tags PUT | Device | -
        /v1/devices/{device}/voip DELETE | Device | -
        /v1/devices/{device}/voip GET | Device | -
        /v1/devices/{device}/voip PUT | Device | -
        /v1/dry-run POST | API key: send, at times read | query
        /v1/events POST | App key | -
        /v1/invalid-tokens GET | API key: read | query
        /v1/keys GET | API key: admin | query, or all
        /v1/keys POST | API key: admin | query, or all
        /v1/keys/{key} DELETE | API key: admin | key
        /v1/message-log GET | API key: read | query
        /v1/nodes GET | API key: read | none, key of the server
        /v1/nodes/{node}/quiet POST | API key: admin | none, key of the server
        /v1/nodes/{node}/release-leases POST | API key: admin | none, key of the server
        /v1/nodes/{node}/wake POST | API key: admin | none, key of the server
        /v1/operators GET | API key: admin | none, key of the server
        /v1/operators POST | API key: admin | none, key of the server
        /v1/operators/{operator} DELETE | API key: admin | none, key of the server
        /v1/operators/{operator} GET | API key: admin | none, key of the server
        /v1/operators/{operator} PATCH | API key: admin | none, key of the server
        /v1/operators/{operator}/link POST | API key: admin | none, key of the server
        /v1/operators/{operator}/sessions DELETE | API key: admin | none, key of the server
        /v1/openapi.yaml GET | none: the description | -
        /v1/statistics GET | API key: read | query
        /v1/statistics-ids GET | API key: read | query, or all
        /v1/statistics-ids POST | API key: admin | query
        /v1/statistics-ids/{statistics} DELETE | API key: admin | key
        /v1/statistics-ids/{statistics} GET | API key: read | key
        /v1/statistics-ids/{statistics} PUT | API key: admin | key
        /v1/tags GET | API key: read | query
        /v1/tags POST | API key: admin | query
        /v1/tags/{tag} DELETE | API key: admin | query
        /v1/tags/{tag} GET | API key: read | query
        /v1/tags/{tag} PATCH | API key: admin | query
        /v1/tags/{tag}/merge POST | API key: admin | query
        /v1/tags/{tag}/user-list POST | API key: admin | query
        /v1/tags/{tag}/users DELETE | API key: admin | query
        /v1/tags/{tag}/users GET | API key: read | query
        /v1/tags/{tag}/users POST | API key: admin | query
        /v1/templates GET | API key: read | query
        /v1/templates POST | API key: send | query
        /v1/templates/{template} DELETE | API key: send | key
        /v1/templates/{template} GET | API key: read | key
        /v1/templates/{template} PUT | API key: send | key
        /v1/test-devices GET | API key: read | query
        /v1/test-devices POST | API key: admin | query
        /v1/test-device-send POST | API key: send | query
        /v1/test-devices/{device} DELETE | API key: admin | query
        /v1/test-pairings POST | API key: admin | query
        /v1/devices/{device}/test-pairing POST | Device | -
        /v1/test-send POST | API key: send | query
        /v1/user-messages GET | API key: messages | query
        /v1/users GET | API key: read | query
        /v1/users/{user} DELETE | API key: admin | query
        /v1/users/{user} GET | API key: read | query
        /v1/users/{user}/account DELETE | API key: admin | query
        /v1/users/{user}/account GET | API key: read | query
        /v1/users/{user}/account PATCH | API key: admin | query
        /v1/users/{user}/account/password PUT | API key: admin | query
        /v1/users/{user}/attributes GET | API key: read | query
        /v1/users/{user}/attributes PATCH | API key: admin | query
        /v1/users/{user}/export GET | API key: admin | query
        /v1/users/{user}/tags POST | API key: admin | query
        /v1/users/{user}/tags PUT | API key: admin | query
        /v1/webhooks GET | API key: read | query, or all
        /v1/webhooks POST | API key: admin | query
        /v1/webhooks/{webhook} DELETE | API key: admin | key
        /v1/webhooks/{webhook} GET | API key: read | key
        /v1/webhooks/{webhook} PATCH | API key: admin | key
        /v1/webhooks/{webhook}/attempts GET | API key: read | key
        /v1/webhooks/{webhook}/messages GET | API key: read | key
        /v1/webhooks/{webhook}/messages/{message}/replay POST | API key: admin | key
        /v1/webhooks/{webhook}/rotate-secret POST | API key: admin | key
        /v1/webhooks/{webhook}/test POST | API key: admin | key
        """
}
