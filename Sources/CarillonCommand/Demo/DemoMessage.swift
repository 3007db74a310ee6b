import CarillonModel
import CarillonOperatorModel

/// The message of the demonstration, in five languages, with an image and a button.
enum DemoMessage {
    static let bundleID = "com.example.carillon-demo"

    static var message: Message {
        var message = Message(content: [
            Message.defaultLanguage: content("Tonight at eight", "The carillon plays in the old town.", "Listen"),
            "ja": content("今夜八時", "旧市街でカリヨンが鳴ります。", "聴く"),
            "ko": content("오늘 밤 8시", "구시가지에서 카리용이 울립니다.", "듣기"),
            "zh-Hant": content("今晚八點", "老城的鐘琴即將奏響。", "聆聽"),
            "de": content("Heute um acht", "Das Glockenspiel erklingt in der Altstadt.", "Anhören"),
        ])
        message.sound = "default"
        message.thread = "concerts"
        return message
    }

    private static func content(_ title: String, _ body: String, _ button: String) -> LocalizedContent {
        var content = LocalizedContent(title: title, body: body)
        content.image = "https://carillon.example/bells.png"
        content.link = "carillon-demo://concerts/tonight"
        content.buttons = [Button(id: "listen", title: button)]
        return content
    }
}
