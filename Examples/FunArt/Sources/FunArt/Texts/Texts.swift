/// A language of the app.
public enum Language: String, CaseIterable, Hashable, Sendable {
    /// Traditional Chinese.
    case chinese = "zh-Hant"
    /// English.
    case english = "en"

    /// The language that fits a person best.
    ///
    /// - Parameter tags: Language tags, the person's favourite first, as of `Accept-Language` or of the system.
    public init(preferred tags: [String]) {
        for tag in tags.map({ $0.lowercased() }) {
            if tag.hasPrefix("zh") || tag == "*" { break }
            if tag.hasPrefix("en") {
                self = .english
                return
            }
        }
        self = .chinese
    }

    /// Its texts.
    public var texts: Texts {
        switch self {
        case .chinese: .chinese
        case .english: .english
        }
    }
}

/// All words of the app in one language; the data themselves are in Chinese.
public struct Texts: Hashable, Sendable {
    /// The tag of the language.
    public var language = Language.chinese.rawValue
    /// The app's name.
    public var appName = "瘋藝文"

    // The screen for signing in.

    /// The tab and the button for signing in.
    public var signIn = "登入"
    /// The tab and the button for signing up.
    public var signUp = "註冊"
    /// The field of the name.
    public var name = "帳號"
    /// The field of the password.
    public var password = "密碼"
    /// The field of the password once more.
    public var passwordAgain = "再次輸入密碼"
    /// What a password has to be.
    public var passwordHint = "8 到 256 個字元"
    /// The alert's title for signing in.
    public var signInError = "登入錯誤"
    /// The alert's title for signing up.
    public var signUpError = "註冊錯誤"
    /// The alert's button.
    public var confirm = "確定"
    /// A field is empty.
    public var emptyField = "帳號或密碼不得為空"
    /// The second password is not the first one.
    public var differentPasswords = "兩次輸入的密碼不同"
    /// While the server is asked.
    public var waiting = "請稍候"

    // Failures.

    /// Nobody is signed in any more.
    public var signedOut = "請重新登入"
    /// The name or the password is wrong.
    public var wrongNameOrPassword = "帳號或密碼錯誤"
    /// Another person has the name.
    public var nameTaken = "這個帳號已經有人使用"
    /// The name is none that a person can have.
    public var invalidName = "這個帳號名稱不能使用"
    /// The password is too short, too long, or the name.
    public var invalidPassword = "密碼須有 8 到 256 個字元，且不得與帳號相同"
    /// Somebody tried too often.
    public var tooManyAttempts = "嘗試次數過多，請稍後再試"
    /// The server cannot be reached.
    public var unreachable = "無法連線，請檢查網路"
    /// The person does not allow notifications.
    public var notificationsDenied = "請先在設定中允許通知"
    /// The server refused for another reason.
    public var refused = "伺服器無法處理這個要求"
    /// What is shown is the last answer.
    public var stored = "目前離線，顯示上次的資料"
    /// The button that asks again.
    public var retry = "重試"

    // Kinds, list and event.

    /// The title of the nine kinds.
    public var kinds = "活動分類"
    /// The names of the kinds, in their order.
    public var kindNames = ["音樂表演", "戲劇表演", "舞蹈表演", "親子活動", "展覽活動", "講座", "電影", "演唱會", "其它資訊"]
    /// How far ahead events are listed.
    public var period = "查詢活動期間"
    /// The periods, in their order.
    public var periodNames = ["一週活動", "兩週活動", "三週活動", "四週活動"]
    /// The button of the form.
    public var search = "查詢"
    /// The choice of a kind.
    public var chooseKind = "查詢活動分類"
    /// There is no event.
    public var noEvents = "這段期間沒有活動"
    /// The title of an event's screen.
    public var eventTitle = "活動資訊"
    /// There is no such event.
    public var noSuchEvent = "找不到這個活動"
    /// The label of a description that nobody wrote, and of an arrival that nobody knows.
    public var notProvided = "未提供"
    /// The label of what is unknown.
    public var notAvailable = "N/A"
    /// The venue.
    public var place = "地點"
    /// The address.
    public var address = "地址"
    /// Where tickets are sold.
    public var source = "售票"
    /// Who organizes it.
    public var organizer = "主辦"
    /// First and last day.
    public var days = "期間"
    /// The session.
    public var session = "場次"
    /// The price.
    public var price = "票價"
    /// Nothing is paid.
    public var free = "免費"
    /// The button for tickets.
    public var tickets = "購票"
    /// The button for the map.
    public var map = "地圖與公車"

    // Buses.

    /// The venue on the map.
    public var venue = "活動地點"
    /// The stops on the map.
    public var stops = "附近公車站"
    /// There is no stop.
    public var noStops = "附近沒有公車站"
    /// The button of a stop.
    public var showRoutes = "查看路線"
    /// The list of routes.
    public var routes = "路線清單"
    /// There is no route.
    public var noRoutes = "這裡沒有公車路線"
    /// Before the first answer.
    public var loading = "資料讀取中"
    /// When the next buses come.
    public var arrivals = "到站時間"
    /// The stop's column.
    public var stop = "站名"
    /// The direction's column.
    public var direction = "方向"
    /// On the way out.
    public var outbound = "去"
    /// On the way back.
    public var inbound = "回"
    /// A bus told it.
    public var live = "即時"
    /// The timetable says it.
    public var timetable = "時刻表"
    /// When the server answered last.
    public var updated = "更新時間"
    /// The button that asks again.
    public var refresh = "重新整理"

    // Following.

    /// The screen of what the person follows.
    public var follows = "追蹤"
    /// What the screen is for.
    public var followsHint = "有新活動時，你會收到通知。"
    /// The places.
    public var places = "地點"
    /// The area around a place.
    public var around = "周圍一公里"
    /// The button that follows.
    public var follow = "追蹤"
    /// The button that stops it.
    public var unfollow = "取消追蹤"
    /// The button of a venue.
    public var followPlace = "追蹤這個地點"
    /// The button of a venue that is followed.
    public var unfollowPlace = "取消追蹤這個地點"
    /// No place is followed.
    public var noPlaces = "在活動頁可以追蹤地點"
    /// The notifications.
    public var notifications = "通知"
    /// The button of a notification.
    public var openNotification = "打開"

    // About.

    /// The screen about the app.
    public var about = "關於此App"
    /// The short name of that screen.
    public var aboutShort = "關於"
    /// What the app is.
    public var aboutText = "這個 App 顯示藝文活動、活動地點附近的公車站，以及下一班公車何時到站。資料格式與政府開放資料相同，內容為虛構的範例。"
    /// Who is signed in.
    public var signedInAs = "登入帳號"
    /// The button for signing out.
    public var signOut = "登出"
    /// The part for who shows the app to others.
    public var demonstration = "示範"
    /// What that part is for.
    public var demonstrationHint = "公布一個新活動；下一次匯入後，追蹤這個分類的人會收到通知。"
    /// The button of that part.
    public var announce = "公布新活動"
    /// The language.
    public var languageTitle = "語言"
    /// The link back.
    public var back = "返回"
    /// The link over the navigation.
    public var skip = "跳到主要內容"
    /// The navigation.
    public var navigation = "主要導覽"
}

extension Texts {
    /// Traditional Chinese.
    public static let chinese = Texts()

    /// The name of a kind.
    ///
    /// - Parameter kind: The kind.
    /// - Returns: Its name.
    public func name(of kind: EventKind) -> String {
        zip(EventKind.allCases, kindNames).first { $0.0 == kind }?.1 ?? kind.rawValue
    }

    /// The name of a period.
    ///
    /// - Parameter period: The period.
    /// - Returns: Its name.
    public func name(of period: Period) -> String {
        zip(Period.allCases, periodNames).first { $0.0 == period }?.1 ?? String(period.rawValue)
    }

    /// Why a call failed.
    ///
    /// - Parameter failure: The failure.
    /// - Returns: A sentence.
    public func text(of failure: Failure) -> String {
        switch failure.reason {
        case .signedOut: signedOut
        case .wrongNameOrPassword: wrongNameOrPassword
        case .nameTaken: nameTaken
        case .invalidName: invalidName
        case .invalidPassword: invalidPassword
        case .tooManyAttempts: tooManyAttempts
        case .unreachable: unreachable
        case .notificationsDenied: notificationsDenied
        case .refused: failure.message.isEmpty ? refused : failure.message
        }
    }

    /// Why nothing came of signing in or up.
    ///
    /// - Parameter problem: The problem.
    /// - Returns: A sentence.
    public func text(of problem: SignInState.Problem) -> String {
        switch problem {
        case .emptyField: emptyField
        case .differentPasswords: differentPasswords
        case .failure(let failure): text(of: failure)
        }
    }

    /// The title of the alert.
    ///
    /// - Parameter mode: What failed.
    /// - Returns: The title.
    public func alertTitle(_ mode: SignInState.Mode) -> String {
        switch mode {
        case .signIn: signInError
        case .signUp: signUpError
        }
    }
}
