import CarillonAccountModel
import CarillonContentJobs
import CarillonContentSets
import CarillonModel
import CarillonOperatorModel

private let sampleMessage = #"{"content":{"default":{"body":"x"}}}"#

extension CampaignRequest: SampledRequest {
    static var alternatives: [String: String] { ["recipients": "audience", "template": "message"] }
    static var sample: String { "{\"audience\":{\"all\":true},\"message\":\(sampleMessage)}" }
}

extension TestSendRequest: SampledRequest {
    static var alternatives: [String: String] { ["template": "message"] }
    static var sample: String { "{\"device\":\"00000000-0000-0000-0000-000000000000\",\"message\":\(sampleMessage)}" }
}

extension TemplateRequest: SampledRequest {
    static var sample: String { "{\"name\":\"x\",\"message\":\(sampleMessage)}" }
}

extension AudienceRequest: SampledRequest {
    static var sample: String { #"{"name":"x","rule":"all"}"# }
}

extension AudienceEstimateRequest: SampledRequest {
    static var sample: String { #"{"audience":{"all":true}}"# }
}

extension AppRequest: SampledRequest {
    static var sample: String { #"{"name":"x","bundleID":"com.example.app"}"# }
}

extension PushKeyRequest: SampledRequest {
    static var sample: String {
        #"{"keyID":"XXXXXXXXXX","teamID":"XXXXXXXXXX","privateKey":"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----"}"#
    }
}

extension APIKeyRequest: SampledRequest {
    static var sample: String { #"{"name":"x","scopes":["read"]}"# }
}

extension WebhookRequest: SampledRequest {
    static var sample: String { #"{"url":"https://example.com","topics":["event.opened"]}"# }
}

extension StatisticsKeyRequest: SampledRequest {
    static var sample: String { #"{"name":"x"}"# }
}

extension CategoryRequest: SampledRequest {
    static var sample: String { #"{"label":"x"}"# }
}

extension Registration: SampledRequest {
    static var sample: String { #"{"consent":{"notifications":false}}"# }
}

extension VoIPRegistration: SampledRequest {
    static var sample: String { #"{"token":"0000000000000000","pushType":"apns_voip"}"# }
}

extension SignUpRequest: SampledRequest {
    static var sample: String { #"{"name":"x","password":"xxxxxxxx"}"# }
}

extension SignInRequest: SampledRequest {
    static var sample: String { #"{"name":"x","password":"x"}"# }
}

extension PasswordChange: SampledRequest {
    static var sample: String { #"{"oldPassword":"x","newPassword":"xxxxxxxx"}"# }
}

extension AccountRequest: SampledRequest {
    static var sample: String { #"{"name":"x"}"# }
}

extension UserMessage: SampledRequest {
    static var sample: String { #"{"to":"x","body":"x"}"# }
}

extension ContentFollowRequest: SampledRequest {
    static var sample: String { #"{"user":"x"}"# }
}

extension ContentAlertSettings: SampledRequest {
    static var sample: String { #"{"template":"x"}"# }
}

extension ContentSourceRequest: SampledRequest {
    static var sample: String { #"{"format":"csv","url":"https://example.com/x"}"# }
}

extension ContentSetDefinition: SampledRequest {
    static var sample: String {
        #"{"version":1,"title":"x","tables":[{"name":"x","key":"id","fields":[{"name":"id","type":"text"}]}]}"#
    }
}
