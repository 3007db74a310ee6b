public import CarillonModel

/// The body of `POST /v1/test-device-send`: one message to test Devices, at once, outside of any Campaign's funnel.
///
/// Rules for ads, for nights, quiet hours and frequency caps do not apply.
public struct TestDevicesSend: Hashable, Sendable, Codable {
    /// Maximum number of Devices of one request.
    public static let maximumDevices = 20
    /// Maximum number of Devices in an hour.
    public static let maximumPerHour = 60

    /// Test Devices of the App, 1 through 20, each once.
    public var devices: [DeviceID]
    /// The message; an empty, silent one while ``template`` stands for it.
    public var message: Message
    /// The template, instead of ``message``.
    public var template: TemplateID?
    /// Values of the placeholders `{{value.NAME}}`.
    public var values: TemplateValues?
    /// Values of the placeholders `{{recipient.NAME}}`, as for a recipient of a Campaign.
    public var recipientValues: TemplateValues?
    /// What an ad carries beside its content for phones whose language is Korean; they get it as they would in a Campaign.
    public var adWording: AdWording?
    /// Which of the Devices' tokens it addresses; `notification` when missing.
    public var channel: Campaign.Channel

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - devices: Test Devices of the App.
    ///   - message: The message.
    public init(devices: [DeviceID], message: Message) {
        self.devices = devices
        self.message = message
        channel = .notification
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case devices, message, template, values, recipientValues, adWording, channel
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        devices = try fields.required(.devices)
        guard (1...Self.maximumDevices).contains(devices.count), Set(devices).count == devices.count else {
            throw fields.failure(.devices, "must be 1 through \(Self.maximumDevices) Devices, each once")
        }
        template = try fields.optional(.template)
        message = try fields.message(.message, besides: template)
        values = try fields.optional(.values)
        recipientValues = try fields.optional(.recipientValues)
        adWording = try fields.optional(.adWording)
        channel = try fields.optional(.channel) ?? .notification
        if channel == .voip, template == nil { try message.checkCall(fields.failure(.message, "").field) }
    }
}
